//! The strings around lessons and questions in Chinese. The texts of the lessons are not here: they
//! are in their scenarios.

use lictor_view::format::{clock, whole_seconds};
use lictor_view::language::chinese::seconds;

use super::Words;
use crate::lessons::{AnswerMoment, GuessAnswer, MeasuredValue, QuestionState, Topic};

pub(super) const WORDS: Words = Words {
    skip_to_question: "跳到问题",
    learn: "学习",
    heading: "你对 Consul 锁的认识对吗？",
    intro: "每个问题大约一分钟。每个问题都让一段故事停在许多人猜错的地方，\
            并注明出处。",
    topic: |topic| match topic {
        Topic::Free => "锁何时空闲？",
        Topic::Protects => "锁保护什么？",
        Topic::Ends => "什么会结束会话？",
        Topic::Believes => "谁以为自己持有锁？",
        Topic::Slots => "名额、监视与检查",
        Topic::Network => "网络出故障时",
    },
    sandbox: "新沙箱",
    sandbox_text: "三个客户端，一台服务器，别无其他",
    page: |page, of| format!("{page} / {of}"),
    next: "下一步",
    next_page: "下一页",
    back: "上一步",
    lesson: "要点",
    close: "离开故事",
    again: "再看一遍",

    about: |consul| {
        format!(
            "Lictor 在本页中运行一台 {consul} 服务器：看看谁持有锁，谁只是以为自己持有，\
             以及下一个客户端何时得到锁。"
        )
    },
    own_text: "有自己的内容？",
    visit_guide: "粘贴命令或指南",
    visit_sandbox: "打开沙箱",
    fresh_sandbox: "三个客户端，一台服务器，时间为 0",
    all_questions: |count| format!("全部 {count} 个问题"),
    tab_questions: "问题",
    tab_guide: "指南",
    tab_sandbox: "沙箱",

    question_of: |number, of| format!("问题 {number} / {of}"),
    choices: "你的猜测",
    guess: "猜一猜",
    choose_first: "请先选择一个答案。",
    skip: "不猜了，直接看答案",
    guess_first: "请先猜一猜",
    renewed_ago: |ttl, ago| format!("TTL {}，{}前最近一次续期", seconds(ttl), seconds(ago)),
    made_ago: |ttl, ago| format!("TTL {}，{}前创建", seconds(ttl), seconds(ago)),
    changed: "你改动了这段故事。",
    put_lesson_back: "恢复原样",

    verdict,
    counted_from: |seconds| format!("从 {seconds} 秒算起"),
    your_guess: "你的猜测",
    the_answer: "答案",
    see_on_timeline: "在时间线上查看：",
    seek_guess: |at| format!("{} 秒，你的猜测", clock(at)),
    seek_answer: |at, shows| match shows {
        AnswerMoment::Time => format!("{} 秒，答案", clock(at)),
        AnswerMoment::Event => format!("{} 秒处", clock(at)),
        AnswerMoment::End => format!("{} 秒，故事结尾", clock(at)),
    },
    without_fix: "没有改进时",
    with_fix: "改进之后",
    outcome: |value, was| {
        let value = match value {
            MeasuredValue::Choice(text) | MeasuredValue::Text(text) => text,
            MeasuredValue::Span(span) => format!("{} 秒", whole_seconds(span)),
            MeasuredValue::Never => "永远不会".to_owned(),
        };
        match was {
            Some(was) => format!("答案从“{was}”变为“{value}”。"),
            None => format!("答案仍然是“{value}”。"),
        }
    },
    seek_outcome: |at| format!("{} 秒，改进之后", clock(at)),
    helped: "怎样可以避免",
    next_question: "下一个问题",
    next_title: |number, of, title| format!("{number} / {of}：{title}"),

    mark: |mark| match mark {
        QuestionState::Open => "未回答",
        QuestionState::Next => "接下来是这个",
        QuestionState::GuessedRight => "猜对了",
        QuestionState::Answered => "已回答，没有猜对",
    },
    scores: |answered, of, right| match answered {
        0 => "还没有回答".into(),
        answered => format!("已回答 {answered} / {of}，猜对 {right} 个"),
    },
    go_on: |number| format!("继续问题 {number}"),
    stays_here: "进度保存在这个浏览器中。",
    forget: "清除进度",
};

fn verdict(answer: &GuessAnswer) -> String {
    let (right, reason) = (&answer.right.chinese, &answer.reason.chinese);
    match &answer.guessed {
        Some(guessed) if answer.is_right => {
            format!("你猜的是“{}”，答案正是“{right}”，因为{reason}", guessed.chinese)
        }
        Some(guessed) => {
            format!("你猜的是“{}”，答案是“{right}”，因为{reason}", guessed.chinese)
        }
        None => format!("答案是“{right}”，因为{reason}"),
    }
}
