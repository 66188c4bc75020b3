//! TCP as Linux has it, as a pure state machine
