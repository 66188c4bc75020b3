//! Accepts connections, reads the first request of each, and hands it over to the code for that
//! request.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use observation::Heading;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::connections::Permit;
use super::conversation::{Action, Conversation, FlowRequest};
use super::flow::{self, Flow};
use super::framed::{Framed, line};
use super::{Shared, control, object};
use crate::protocol::{Answer, Reason};
use crate::token::hexadecimal;

/// The wait after an error of the machine, such as no free descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Accepts connections for ever.
pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        match listener.accept().await {
            Ok((stream, client)) => welcome(stream, client, &shared),
            Err(error) if is_of_one_connection(&error) => {}
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// True for an error of one connection that was not yet accepted, which accept(2) reports here. All
/// other errors are the server's own.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionReset | Interrupted)
}

fn welcome(stream: TcpStream, client: SocketAddr, shared: &Arc<Shared>) {
    match shared.connections.enter(client.ip()) {
        Some(permit) => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move { serve_client(&shared, stream, client, permit).await });
        }
        None => {
            let most = shared.bounds.per_address;
            let message = format!("your address has reached its limit of {most} connections here");
            refuse_at_once(&stream, message);
        }
    }
}

/// Refuses a connection without waiting for anything.
fn refuse_at_once(stream: &TcpStream, message: String) {
    let refused = Answer::Refused { reason: Reason::Busy, message, retry_s: Some(5) };
    if let Ok(line) = line(&refused) {
        // Nothing was sent yet, so the line fits into the kernel's buffer, even if the runtime has
        // not yet learnt that the socket is writable.
        let _ = rustix::io::write(stream, &line);
    }
}

/// Reads the request of a client, and serves it.
async fn serve_client(shared: &Shared, stream: TcpStream, client: SocketAddr, mut permit: Permit) {
    let mut nonce = [0; 32];
    if getrandom::fill(&mut nonce).is_err() || stream.set_nodelay(true).is_err() {
        return;
    }
    let conversation = Conversation::new(shared.token.clone(), hexadecimal(&nonce));
    let mut framed = Framed::new(stream, conversation);
    let action = tokio::select! {
        action = timeout(shared.bounds.patience, first(&mut framed)) => action,
        () = permit.evicted() => {
            return refuse_at_once(&framed.stream, "too many connections wait here".into());
        }
    };
    match action {
        Ok(Ok(Action::Test)) => control::run(shared, framed, client, permit).await,
        Ok(Ok(Action::Flow(action))) => load(shared, framed, action, permit).await,
        Ok(Ok(Action::Echo { test })) => match shared.tests.find(&test) {
            Some(test) => {
                test.note_movement(shared.clock.now());
                // Whether the answer could be sent or not, the connection closes.
                drop(framed.say(&Answer::Echo).await);
            }
            None => unknown(framed).await,
        },
        Ok(Ok(Action::Object { test, bytes })) => match shared.tests.find(&test) {
            Some(test) => {
                test.note_movement(shared.clock.now());
                object::serve(shared, framed, &test, bytes, permit).await;
            }
            None => unknown(framed).await,
        },
        Ok(Ok(Action::Refuse(reason, message))) => framed.refuse(reason, message, None).await,
        // The client has closed, or the connection broke.
        Ok(Ok(_) | Err(_)) => {}
        Err(_) => {
            let secs = shared.bounds.patience.as_secs_f64();
            let message = format!("no request came within {secs} s");
            framed.refuse(Reason::Malformed, message, None).await;
        }
    }
}

/// The client's action: its first, or, if a token is required, the one after the proof.
async fn first(framed: &mut Framed) -> io::Result<Action> {
    match framed.next().await? {
        Action::Challenge => {
            let nonce = framed.conversation.nonce().to_owned();
            framed.say(&Answer::Challenge { nonce }).await?;
            framed.next().await
        }
        action => Ok(action),
    }
}

/// Makes the connection a flow of its test, and runs the flow.
async fn load(shared: &Shared, mut framed: Framed, action: FlowRequest, mut permit: Permit) {
    let Some(test) = shared.tests.find(&action.test) else { return unknown(framed).await };
    let heading = match action.heading {
        Heading::Up => 0,
        Heading::Down => 1,
    };
    let Some(member) = test.join(heading) else { return framed.refuse_flow(&shared.bounds).await };
    permit.served();
    test.note_movement(shared.clock.now());
    let Ok(congestion) = flow::prepare(&framed.stream, &action, &shared.congestion) else { return };
    let ready = Answer::Ready { flow: member.log.number, congestion };
    if framed.say(&ready).await.is_ok() {
        let flow =
            Flow { stream: framed.stream, member, clock: shared.clock, noise: &shared.noise };
        flow.run(action.heading, action.segment).await;
    }
}

async fn unknown(framed: Framed) {
    let message = "there is no such test on this server, or it is over".into();
    framed.refuse(Reason::UnknownTest, message, None).await;
}
