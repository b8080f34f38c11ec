import { startGateway } from '../../../reference-server/main.ts'

/** The reference gateway with a dashboard: `STORE DAYS OF LOG`. It prints its port, and a key that can pay for the whole run. */
const [store = 'memory', days = '7'] = process.argv.slice(2)
const gateway = await startGateway({ demo: true, store, dashboard: {}, requestLogDays: Number(days) })
process.stdout.write(`${new URL(gateway.baseUrl).port} ${gateway.demo?.apiKey}\n`)
