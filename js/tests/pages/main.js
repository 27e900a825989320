// A page's script: it gives the tests what the package exports.

import * as lictor from "lictor";
import * as client from "lictor/client";
import * as inline from "lictor/inline";
import * as worlds from "lictor/world";

Object.assign(globalThis, { lictor, client, inline, worlds });
