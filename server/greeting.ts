/** The text that the start prints. It shows a newcomer what to do next. */
import type { Context } from './context.ts'
import type { World } from './contract/health.ts'
import type { DemoCredentials } from './demo/seed.ts'
import { DEMO_PRODUCT } from './demo/seed.ts'
import { ADMIN } from './invocation.ts'
import { nameOf } from './settings/table.ts'
import { VERSION } from './version.ts'

type Started = {
  ctx: Context
  dataDir: string
  demo: DemoCredentials | null
  /** The console's address, with a one-time link before the first sign-in; null if it is off. */
  console: { origin: string; firstLink: string | null } | null
  /** The worlds in which refunds and renewals wait after a restore, with the time of the backup. */
  restored: { world: World; backupAt: Date }[]
  seconds: string
  serves: boolean
  works: boolean
}

export function greeting({
  ctx,
  dataDir,
  demo,
  console: desk,
  restored,
  seconds,
  serves,
  works,
}: Started): string {
  const { config, baseUrl } = ctx
  const parts = [serves && 'server', works && 'worker'].filter(Boolean).join(' and ')
  const database = config.databaseUrl
    ? `the database of ${nameOf('databaseUrl')}`
    : `its own PostgreSQL in ${dataDir}`
  const head = `
  Kassa ${VERSION} is ready after ${seconds} s: ${parts}, ${config.mode} mode, ${database}.
`
  const state = routeLines(ctx) + restored.map(restoreLine).join('')
  if (!serves) return head + state
  const address = `
  Address          ${baseUrl}
  Health           ${baseUrl}/api/health
  API reference    ${baseUrl}/docs
${desk === null ? '' : `  Console          ${desk.firstLink ?? `${desk.origin}/`}${desk.firstLink ? '\n                   This link works once, for a day.' : ''}\n`}`
  return head + address + state + (demo ? demoLines(ctx, demo) : NO_DEMO)
}

function restoreLine({ world, backupAt }: Started['restored'][number]): string {
  return `
  RESTORED         In the ${world} world refunds, captures, voids and renewals wait, because a backup of ${backupAt.toISOString()} was
                   restored. They go on when the providers were asked what has happened since: ${ADMIN} restore show --${world}
`
}

/** Lists the routes that are configured or the default, but not ready. The service starts, but rejects payments on them. */
function routeLines({ routes, config }: Context): string {
  return Object.values(routes)
    .filter(({ route, driver, driverName }) => !driver && (driverName || route === config.defaultProvider))
    .map(
      ({ route, reason }) =>
        `\n  NOT READY        ${route}: ${reason}${route === config.defaultProvider ? ' Payments that name no route use this one, and are rejected with 503.' : ''}\n`,
    )
    .join('')
}

const NO_DEMO = `
  Create a merchant and issue a token:
    ${ADMIN} merchant create --name "My shop"
    ${ADMIN} token issue --merchant ID
`

/** Where the payments of the demo are paid. A route of the demo may have a real provider. */
function bankOf({ routes, config }: Context): string {
  const { driverName } = routes[config.defaultProvider]
  return driverName === 'sandbox' ? 'pay at the simulated bank' : 'pay there'
}

function demoLines(ctx: Context, demo: DemoCredentials): string {
  const { baseUrl } = ctx
  const order = `{"merchantOrderId":"order-1","amountMinor":${DEMO_PRODUCT.amountMinor},"currency":"AMD","returnUrl":"${baseUrl}/demo/thanks.html"}`
  return `
  Demo shop        ${baseUrl}/demo/
  Its install page ${baseUrl}/install/${demo.publicKey}
  Merchant         ${demo.merchantId}
  Demo token       ${demo.token}
  Public key       ${demo.publicKey}
  Callback secret  ${demo.webhookSecret}

  Buy something in the demo shop, and look at its order book:
    ${ADMIN} order list --merchant ${demo.merchantId}

  Create a payment:
    curl -s ${baseUrl}/v1/payment-sessions \\
      -H 'Authorization: Bearer ${demo.token}' \\
      -H 'Content-Type: application/json' \\
      -d '${order}'
  Then open its checkoutUrl, ${bankOf(ctx)}, and look it up:
    curl -s '${baseUrl}/v1/payments?paymentId=ID' -H 'Authorization: Bearer ${demo.token}'

  Send its events to a receiver of your own:
    ${ADMIN} callback set --merchant ${demo.merchantId} --url http://localhost:4000/kassa/callback
`
}
