import { measureLogCost } from './log-cost.ts'
import { measureOpenDashboards } from './open-dashboards.ts'
import { measurePageTimes } from './page-times.ts'

/** `npm run bench:dashboard`: what the dashboard costs the API, and how long its pages take. */
await measurePageTimes()
await measureLogCost()
await measureOpenDashboards()
