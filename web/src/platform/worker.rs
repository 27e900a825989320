//! A script in a thread of its own, which runs the module of the page. It ends when its handle is
//! dropped.

use std::rc::Rc;

use js_sys::{Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, MessageEvent, Worker, WorkerOptions, WorkerType};

#[wasm_bindgen]
extern "C" {
    /// The address of the script that has loaded this module.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static ADDRESS: String;
}

/// A worker with what it calls.
pub struct PageWorker {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(Event)>,
}

impl PageWorker {
    /// Starts a script, whose address is relative to the page, with a request, this module and the
    /// address of its script: the worker compiles and loads nothing again. `receive` is called with
    /// each message that it sends, and with `None` if it cannot be loaded or throws an error.
    pub fn start(
        script: &str,
        request: &JsValue,
        receive: impl Fn(Option<JsValue>) + 'static,
    ) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(script, &options)?;
        let receive = Rc::new(receive);
        let failed = receive.clone();
        let on_message = Closure::new(move |event: MessageEvent| receive(Some(event.data())));
        let on_error = Closure::new(move |_| failed(None));
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.post_message(&message(request)?)?;
        Ok(Self { worker, _on_message: on_message, _on_error: on_error })
    }
}

/// What a worker receives: `js`, `module` and `request`.
fn message(request: &JsValue) -> Result<JsValue, JsValue> {
    let message = Object::new();
    Reflect::set(&message, &"js".into(), &ADDRESS.with(String::clone).into())?;
    Reflect::set(&message, &"module".into(), &wasm_bindgen::module())?;
    Reflect::set(&message, &"request".into(), request)?;
    Ok(message.into())
}

impl Drop for PageWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}
