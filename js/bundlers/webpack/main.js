import { run } from "../lock.js";

globalThis.result = run();
