//! What errors of Consul mean, in Chinese, where their own text needs that. The table in `mod`
//! refers to `meaning`.

use core::time::Duration;

use lictor_core::duration;
use lictor_core::engine::TTL_MAX;
use lictor_core::error::Error;
use lictor_core::http::BadRequest;
use lictor_sim::Problem;

/// What an error means; none if Consul's text is plain enough.
pub(super) fn meaning(problem: &Problem) -> Option<String> {
    match problem {
        Problem::BadRequest(refused) => of_bad_request(refused),
        Problem::Refused(refusal) => of_error(&refusal.error),
    }
}

fn of_bad_request(refused: &BadRequest) -> Option<String> {
    let text = match refused {
        BadRequest::UnprintablePath => "路径中有不可打印的字符；未执行任何操作".into(),
        BadRequest::UndecodableQuery(_) => "查询字符串无法解码；未执行任何操作".into(),
        BadRequest::UnknownPath { is_api: true } => "Consul 没有这个路径的接口".into(),
        BadRequest::MethodNotAllowed { allowed, .. } => format!("该路径允许 {allowed}"),
        _ => return None,
    };
    Some(text)
}

fn of_error(error: &Error) -> Option<String> {
    let text = match error {
        Error::InvalidBehavior(_) => "Behavior 只能是 \"release\" 或 \"delete\"".into(),
        Error::InvalidTtl { .. } => "TTL 是带单位的数字，例如 \"15s\"".into(),
        Error::TtlOutOfBounds { nanos, min } => ttl_out_of_bounds(*nanos, min),
        Error::MissingNode => "目录中没有这个名称的节点".into(),
        Error::MissingCheck(check) => format!("会话所在的节点没有检查 {check}"),
        Error::CriticalCheck(check) => {
            format!("检查 {check} 为 critical 时，会话不能依赖它")
        }
        Error::EmptyCheckId => "检查列表中有空的 ID".into(),
        Error::MissingSession => "请求没有指定会话".into(),
        Error::InvalidSession(_) => "没有会话使用这个 ID".into(),
        Error::CheckWithoutTtl(check) => {
            format!("客户端只能上报带 TTL 的检查的状态，{check} 没有 TTL")
        }
        Error::UnboundQuery => "查询需要名称、模板或会话".into(),
        _ => return None,
    };
    Some(text)
}

fn ttl_out_of_bounds(nanos: i64, min: &str) -> String {
    match u64::try_from(nanos).map(Duration::from_nanos) {
        Err(_) => format!("TTL 不能为负数；下限为 {min}"),
        Ok(ttl) if ttl > TTL_MAX => {
            format!("{} 高于上限 24h", duration::print_exact(ttl))
        }
        Ok(ttl) => format!("{} 低于下限 {min}", duration::print_exact(ttl)),
    }
}
