//! Who comes in, and what becomes of them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::conversation::{Conversation, FlowWish, Wish};
use super::flow::{self, Flow};
use super::lobby::Seat;
use super::talk::{Talk, line};
use super::{Shared, control, object};
use crate::protocol::{Answer, Reason, Way};
use crate::token::hexadecimal;

/// Until the machine may have descriptors again.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes connections for ever.
pub(super) async fn open(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => welcome(stream, client, &shared),
            Err(error) if is_of_one_connection(&error) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// accept(2): errors of a connection that has not been taken are told here. All others are ours.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn welcome(stream: TcpStream, client: SocketAddr, shared: &Arc<Shared>) {
    match shared.lobby.enter(client.ip()) {
        Some(seat) => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move { attend(&shared, stream, client, seat).await });
        }
        None => {
            let most = shared.bounds.per_address;
            let message = format!("your address has as many connections here as it may ({most})");
            turn_away(&stream, message);
        }
    }
}

/// Says no, without waiting for anything.
fn turn_away(stream: &TcpStream, message: String) {
    let refused = Answer::Refused { reason: Reason::Busy, message, retry_s: Some(5) };
    if let Ok(line) = line(&refused) {
        // Nothing was sent yet, so it fits into the kernel's buffer, whether or not the runtime has
        // learnt that it does.
        let _ = rustix::io::write(stream, &line);
    }
}

/// Hears what a client wants, and does it.
async fn attend(shared: &Shared, stream: TcpStream, client: SocketAddr, mut seat: Seat) {
    let mut nonce = [0; 32];
    if getrandom::fill(&mut nonce).is_err() || stream.set_nodelay(true).is_err() {
        return;
    }
    let conversation = Conversation::new(shared.token.clone(), hexadecimal(&nonce));
    let mut talk = Talk::new(stream, conversation);
    let wish = tokio::select! {
        wish = timeout(shared.bounds.patience, first(&mut talk)) => wish,
        () = seat.shown_out() => {
            return turn_away(&talk.stream, "too many connections wait here".into());
        }
    };
    match wish {
        Ok(Ok(Wish::Test)) => control::run(shared, talk, client, seat).await,
        Ok(Ok(Wish::Flow(wish))) => load(shared, talk, wish, seat).await,
        Ok(Ok(Wish::Echo { test })) => match shared.tests.find(&test) {
            Some(test) => {
                test.note_movement(shared.clock.now());
                // It closes whether or not this was heard.
                drop(talk.say(&Answer::Echo).await);
            }
            None => unknown(talk).await,
        },
        Ok(Ok(Wish::Object { test, bytes })) => match shared.tests.find(&test) {
            Some(test) => {
                test.note_movement(shared.clock.now());
                object::serve(shared, talk, &test, bytes, seat).await;
            }
            None => unknown(talk).await,
        },
        Ok(Ok(Wish::Refuse(reason, message))) => talk.refuse(reason, message, None).await,
        // It has closed, or broken off.
        Ok(Ok(_) | Err(_)) => {}
        Err(_) => {
            let secs = shared.bounds.patience.as_secs_f64();
            let message = format!("nothing was asked for within {secs} s");
            talk.refuse(Reason::Malformed, message, None).await;
        }
    }
}

/// What a client wants in the end: if a token is asked for, after the proof.
async fn first(talk: &mut Talk) -> io::Result<Wish> {
    match talk.next().await? {
        Wish::Challenge => {
            let nonce = talk.conversation.nonce().to_owned();
            talk.say(&Answer::Challenge { nonce }).await?;
            talk.next().await
        }
        wish => Ok(wish),
    }
}

/// Makes the connection a flow of its test.
async fn load(shared: &Shared, mut talk: Talk, wish: FlowWish, mut seat: Seat) {
    let Some(test) = shared.tests.find(&wish.test) else { return unknown(talk).await };
    let heading = match wish.way {
        Way::Up => 0,
        Way::Down => 1,
    };
    let Some(member) = test.join(heading) else { return full(shared, talk).await };
    seat.served();
    test.note_movement(shared.clock.now());
    let Ok(congestion) = flow::prepare(&talk.stream, &wish, &shared.congestion) else { return };
    let ready = Answer::Ready { flow: member.log.number, congestion };
    if talk.say(&ready).await.is_ok() {
        let flow = Flow { stream: talk.stream, member, clock: shared.clock, noise: &shared.noise };
        flow.run(wish.way, wish.segment).await;
    }
}

/// Says that the test does as much at once as it may.
pub(super) async fn full(shared: &Shared, talk: Talk) {
    let flows = shared.bounds.flows;
    let message = format!("the test has as many flows on this server as it may ({flows})");
    talk.refuse(Reason::TooManyFlows, message, None).await;
}

async fn unknown(talk: Talk) {
    let message = "there is no such test on this server, or it is over".into();
    talk.refuse(Reason::UnknownTest, message, None).await;
}
