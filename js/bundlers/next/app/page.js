import { run } from "../../lock.js";

export default async function Page() {
  return <p>{await run()}</p>;
}
