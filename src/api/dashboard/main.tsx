import { render } from "preact";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/narrow.css";
import "./style/panels.css";
import "./style/controls.css";
import "./style/views.css";
import "./style/wallets.css";
import { App } from "./app.tsx";
import { openSession } from "./kernel/api.ts";
import { takeToken } from "./kernel/router.ts";

const token = takeToken();
if (token !== undefined) await openSession(token).catch(() => undefined); // the page asks for a link
render(<App />, document.getElementById("page") as HTMLElement);
