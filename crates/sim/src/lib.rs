//! Discrete events: drives links and transports in virtual time
