// A service worker of a site, as the documentation shows it.

import { serve } from "lictor/service-worker";

serve({ sessionTtlMin: "10ms" });
