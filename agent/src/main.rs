//! The program `lictor-agent`, which can run in the place of `consul agent`. It serves until a
//! signal arrives or a client requests it to leave, and then ends its connections first. Its
//! commands `incident` and `export` read and print, without an engine.

mod cli;

use std::io::{self, Write};
use std::process::ExitCode;

use lictor_agent::{ListenAddress, ServerError};
use lictor_core::engine::Config;

use cli::arguments::{self, AgentSettings, CliCommand};
use cli::incident::{IncidentOutput, UNKNOWN_STATUS};
use cli::{export, incident};

/// An allocator that uses large pages where the system has them. Reads touch the whole store, and
/// with pages of 4 KiB they wait for address translation about as long as for the data.
#[cfg(not(windows))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Room for files that are open beside connections: the log, the snapshot and its lock, and those
/// of the runtime.
const OTHER_FILES: u64 = 64;

fn main() -> ExitCode {
    match arguments::parse(std::env::args_os().skip(1)) {
        Ok(CliCommand::Usage) => print(arguments::USAGE),
        Ok(CliCommand::Version(version)) => print(&arguments::version_text(version)),
        Ok(CliCommand::VersionJson(version)) => print(&arguments::version_json(version)),
        Ok(CliCommand::Incident(None)) => print(incident::USAGE),
        Ok(CliCommand::Incident(Some(settings))) => match settings.run() {
            Ok(IncidentOutput { answers, notes, is_known }) => {
                eprint!("{notes}");
                let status = print(&answers);
                if is_known { status } else { ExitCode::from(UNKNOWN_STATUS) }
            }
            Err(failure) => fail(&failure, ExitCode::from(failure.status())),
        },
        Ok(CliCommand::Export(None)) => print(export::USAGE),
        Ok(CliCommand::Export(Some(settings))) => match settings.run() {
            Ok(text) => print(&text),
            Err(failure) => fail(&failure, ExitCode::from(failure.status())),
        },
        Ok(CliCommand::Run(settings)) => match run(*settings) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error, ExitCode::FAILURE),
        },
        Err(error) => fail(&error, ExitCode::from(2)),
    }
}

fn print(text: &str) -> ExitCode {
    // A reader that has closed the output needs no more of it.
    let _ = io::stdout().write_all(text.as_bytes());
    ExitCode::SUCCESS
}

fn fail(error: &dyn std::error::Error, code: ExitCode) -> ExitCode {
    eprintln!("lictor-agent: {error}");
    code
}

fn run(mut settings: AgentSettings) -> Result<(), ServerError> {
    settings.without_effect.iter().for_each(|name| settings.log.without_effect(name));
    limit_connections(&mut settings);
    let Config { node, datacenter, version, .. } = settings.engine.clone();
    let ready = |addresses: &[ListenAddress]| {
        let served = match addresses {
            [] => "nothing: HTTP is disabled".into(),
            served => served.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        };
        print(&format!(
            "lictor-agent: node {node} in {datacenter}, as Consul {version}, serves {served}\n"
        ));
        let _ = io::stdout().flush();
    };
    // One thread, because there is one engine, and passing a request to another thread would cost
    // more than reading it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let shutdown = shutdown()?;
        settings.builder().serve(ready, shutdown).await
    })
}

/// Raises the limit of file descriptors as far as possible, because each connection needs one. If
/// it is still too low, the limit of connections is lowered, so that further ones get a 429.
fn limit_connections(settings: &mut AgentSettings) {
    let Ok(files) = rlimit::increase_nofile_limit(u64::MAX) else { return };
    let most = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
    settings.limit_connections(most);
}

/// Completes on SIGTERM or SIGINT, or on Ctrl-C where there are no signals.
#[cfg(unix)]
fn shutdown() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn shutdown() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler the system itself ends the process on Ctrl-C.
            std::future::pending().await
        }
    })
}
