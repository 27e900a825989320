import { expect, test } from "vitest";

import { run } from "../lock.js";

test("the package runs in Vitest", async () => {
  expect(await run()).toBe("web-1 1");
});
