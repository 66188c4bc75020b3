//! A queue in front of a wire: rate, delay, loss, framing
