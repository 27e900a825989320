//! The parts of a demo that docs/theme/player.js plays: the scrubber, the buttons, and room for the
//! facts and the events. They are displayed only where scripts run, and the script fills them.

use lictor_view::language::Language;

use crate::demo::Demo;
use crate::html::escaped;
use crate::playback::Playback;

/// The paths of the buttons' icons in a square of 16 pixels.
const BACK: &str = "M10 3.5 5.5 8l4.5 4.5";
const PLAY: &str = "M5 3.5v9l7-4.5z";
const PAUSE: &str = "M4.5 3.5h2.5v9h-2.5zM9 3.5h2.5v9h-2.5z";
const FORWARD: &str = "M6 3.5 10.5 8 6 12.5";

/// The player of a world in HTML, without an empty line.
pub(crate) fn html(world: &Demo, language: Language) -> String {
    let playback = Playback::new(world, language);
    let [facts, events] = playback.longest().map(|text| escaped(&text));
    let [back, play, forward, time] = match language {
        Language::English => ["Back one event", "Play", "Forward one event", "Time"],
        Language::Chinese => ["后退一个事件", "播放", "前进一个事件", "时间"],
    };
    let button = |action: &str, name: &str, icons: &[(&str, &str)]| {
        let icons = icons.iter().map(|(class, path)| {
            format!(
                "<svg class=\"{class}\" viewBox=\"0 0 16 16\" aria-hidden=\"true\">\
                 <path d=\"{path}\"/></svg>"
            )
        });
        let icons: String = icons.collect();
        format!(
            "<button type=\"button\" data-does=\"{action}\" aria-label=\"{name}\" title=\"{name}\">\
             {icons}</button>"
        )
    };
    format!(
        "<div class=\"player\" data-playback=\"{json}\">\n\
         <div class=\"player-line\"><span class=\"player-time\"></span>\
         <div class=\"player-scrub\">\
         <svg class=\"player-marks\" aria-hidden=\"true\">{marks}</svg>\
         <input type=\"range\" min=\"0\" max=\"{end}\" step=\"1\" value=\"{end}\" \
         aria-label=\"{time}\" autocomplete=\"off\"></div></div>\n\
         <div class=\"player-bar\"><div class=\"player-buttons\">{back}{play}{forward}</div>\
         <div class=\"player-room\" data-longest=\"{facts}\">\
         <p class=\"player-facts\"></p></div></div>\n\
         <div class=\"player-event\"><span class=\"player-at\"></span>\
         <div class=\"player-room\" data-longest=\"{events}\"><p></p></div></div>\n\
         <p class=\"player-said\" role=\"status\"></p>\n\
         </div>\n",
        json = escaped(&playback.json().to_string()),
        marks = playback.marks(world.record()),
        end = playback.end(),
        back = button("back", back, &[("line", BACK)]),
        play = button("play", play, &[("solid when-paused", PLAY), ("solid when-playing", PAUSE)]),
        forward = button("forward", forward, &[("line", FORWARD)]),
    )
}
