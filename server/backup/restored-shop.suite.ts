/**
 * A shop whose database is lost, and restored from an older backup. Its providers are elsewhere and have lost nothing: a simulated
 * Stripe, a simulated PayPal, and a simulated bank that another service runs. The merchant repeats every request.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { sumOf } from '../providers/paypal/money.ts'
import { openDb } from '../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { createEmptyDatabase } from '../testing/database.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, spawnKassa, startKassa } from '../testing/harness.ts'
import { operate, operateJson } from '../testing/operator.ts'
import { startFaultProxy } from '../testing/providers/fault-proxy.ts'
import { paypalSettings } from '../testing/providers/paypal-scene.ts'
import { actAsBuyer, startPaypalServer } from '../testing/providers/paypal-server.ts'
import { routeSettings } from '../testing/providers/route-settings.ts'
import { setStripeScene, stripeSettings } from '../testing/providers/stripe-scene.ts'
import { serveHere } from '../testing/serve-here.ts'

export type Size = { known: number; lost: number; kills: number }

const ROUTES = ['route_a', 'route_b', 'route_c'] as const
const DAY_MS = 24 * 3_600_000
const LONG_MS = 120_000
const AMOUNT = 1000

type Sale = { key: string; route: (typeof ROUTES)[number]; id: string; url: string; isPaid: boolean }
type Write = { id: string; what: 'refunds' | 'capture' | 'void'; key: string; body: object }

/** Runs `work` for all items, a few at once. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items]
  const run = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, run))
}

async function setProviders() {
  const stripe = await setStripeScene()
  const paypal = await startPaypalServer(() => new Date())
  const proxy = await startFaultProxy(paypal.origin)
  const bank = await startKassa({ worker: true })
  const settings = {
    ...stripeSettings('ROUTE_A', stripe.server.origin),
    ...paypalSettings('ROUTE_B', proxy.url, { webhook: false }),
    ...routeSettings('ROUTE_C', {
      DRIVER: 'sandbox',
      ADDRESS: `${bank.url}/sandbox/bank`,
      STEPS: 'two',
      OPERATIONS: 'enabled',
    }),
    SECRETS_KEY,
  }
  return {
    stripe,
    paypal,
    proxy,
    bank,
    settings,
    /** What the providers' own books say: sums in minor units, and the number of orders with money. */
    async books() {
      const intents = [...stripe.account.intents.values()]
      const captures = [...paypal.account.orders.values()].flatMap((order) => order.captures)
      const returns = [...paypal.account.orders.values()].flatMap((order) => order.refunds)
      const { rows } = await bank.ctx.db.query(
        `select coalesce(sum((body->>'capturedMinor')::int), 0)::int as captured,
           coalesce(sum((body->>'refundedMinor')::int), 0)::int as refunded,
           count(*) filter (where (body->>'authorizedMinor')::int > 0)::int as orders from sandbox.sandbox_orders`,
      )
      return {
        route_a: {
          captured: intents.reduce((sum, { amount_received: received }) => sum + received, 0),
          refunded: [...stripe.account.refunds.values()].reduce((sum, { amount }) => sum + amount, 0),
          orders: intents.filter(({ amount_received: received }) => received > 0).length,
        },
        route_b: {
          captured: sumOf(captures.map(({ amount }) => amount)),
          refunded: sumOf(returns.map(({ amount }) => amount)),
          orders: captures.length,
        },
        route_c: rows[0] as { captured: number; refunded: number; orders: number },
      }
    },
    async pay({ route, url }: Pick<Sale, 'route' | 'url'>): Promise<void> {
      if (route === 'route_a') stripe.buyer({ url }, 'visa')
      else if (route === 'route_b') await actAsBuyer(url, 'pay')
      else await payAtBank(url, 'paid')
    },
    async close() {
      await Promise.all([stripe.close(), proxy.close(), bank.close()])
      await paypal.close()
    },
  }
}

type Providers = Awaited<ReturnType<typeof setProviders>>

const requestOf = (sale: Pick<Sale, 'key' | 'route'>) => ({
  key: sale.key,
  body: sessionRequest({ merchantOrderId: sale.key, provider: sale.route, amountMinor: AMOUNT }),
})

async function untilPaid(url: string, shop: Shop, { id, route }: Pick<Sale, 'id' | 'route'>): Promise<void> {
  await expect
    .poll(async () => (await lookUp(url, shop, id)).body.status, { timeout: LONG_MS, interval: 250 })
    .toBe(route === 'route_c' ? 'authorized' : 'paid')
}

/** Creates payments on all routes in turn. Three of four are paid. */
async function sell(providers: Providers, kassa: Kassa, shop: Shop, name: string, count: number) {
  const sales: Sale[] = []
  for (let number = 0; number < count; number++) {
    const sale = { key: `${name}-${number}`, route: ROUTES[number % 3] ?? 'route_a' }
    const { status, body } = await createSession(kassa.url, shop, requestOf(sale))
    expect(status).toBe(201)
    const opened = { ...sale, id: body.id as string, url: body.providerCheckoutUrl as string }
    const isPaid = Math.floor(number / 3) % 4 !== 3
    if (isPaid) await providers.pay(opened)
    if (isPaid) await untilPaid(kassa.url, shop, opened)
    sales.push({ ...opened, isPaid })
  }
  return sales
}

/** Every second paid payment is refunded, wholly or in part. At the bank in two steps they are captured or voided. */
function planWrites(sales: readonly Sale[]): Write[] {
  return sales
    .filter(({ isPaid }) => isPaid)
    .flatMap(({ id, key, route }, index): Write[] => {
      if (route === 'route_c')
        return index % 4 === 3
          ? [{ id, what: 'void', key: `void-${key}`, body: { reason: 'no stock' } }]
          : [{ id, what: 'capture', key: `capture-${key}`, body: {} }]
      if (index % 2 === 1) return []
      const amountMinor = index % 4 === 0 ? 400 : AMOUNT
      return [{ id, what: 'refunds', key: `refund-${key}`, body: { amountMinor, reason: 'returned' } }]
    })
}

async function write(url: string, shop: Shop, { id, what, key, body }: Write) {
  return askOperation(url, shop, id, what, { key, body })
}

async function untilDone(url: string, shop: Shop, writes: readonly Write[]): Promise<void> {
  await each(writes, async (each) => {
    const status = async () => (await write(url, shop, each)).body.operation?.status ?? 'refused'
    await expect.poll(status, { timeout: LONG_MS, interval: 250 }).toMatch(/succeeded|refused/)
  })
}

/** The same sums in the service's books, in the world's schema. */
async function booksOf(databaseUrl: string, shop: Shop) {
  const db = openDb(databaseUrl, { world: 'sandbox', max: 1 })
  const { rows } = await db.query(
    `select a.provider, sum(p.captured_minor)::int as captured, sum(p.refunded_minor)::int as refunded
     from sandbox.payments p join sandbox.attempts a on a.merchant_id = p.merchant_id and a.payment_id = p.id and a.number = p.attempt
     where p.merchant_id = $1 group by 1 order by 1`,
    [shop.merchantId],
  )
  await db.end()
  return Object.fromEntries(rows.map(({ provider, ...sums }) => [provider, sums]))
}

/** Restores the backup as if it had been made a day before, into an empty database that is a day older than the backup. */
async function restoreDayOld(directory: string, databaseUrl: string, settings: Record<string, string>) {
  const file = join(directory, 'manifest.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  const createdAt = new Date(Date.parse(manifest.createdAt) - DAY_MS).toISOString()
  await writeFile(file, JSON.stringify({ ...manifest, createdAt }))
  const restored = { ...settings, DATABASE_URL: databaseUrl }
  const outcome = await operate(restored, ['backup', 'restore', '--from', directory])
  // Without a list of what was revoked the token of the shop waits for the host.
  await operate(restored, ['restore', 'confirm', '--all'])
  return outcome
}

export function testRestoredShop({ known, lost, kills }: Size): void {
  test(`${lost} payments and their refunds are lost with the database, and nothing is doubled when all is repeated`, async () => {
    const providers = await setProviders()
    const { settings } = providers
    const kassa = await startKassa({ settings, worker: true })
    const shop = await openShop(kassa.ctx)
    const empty = await createEmptyDatabase(inject('postgresUrl'))
    const folder = await mkdtemp(join(tmpdir(), 'kassa-restored-'))
    const restored = { ...settings, DATABASE_URL: empty.url }
    try {
      const early = await sell(providers, kassa, shop, 'known', known)
      const directory = join(folder, 'backup')
      const source = { ...settings, DATABASE_URL: kassa.databaseUrl }
      expect(await operate(source, ['backup', 'create', '--to', directory])).toMatchObject({ code: 0 })
      const inBackup = await booksOf(kassa.databaseUrl, shop)
      // What the backup does not know: the open payments are paid, others are made, and money moves.
      await each(
        early.filter(({ isPaid }) => !isPaid),
        async (sale) => {
          await providers.pay(sale)
          await untilPaid(kassa.url, shop, sale)
        },
      )
      const late = await sell(providers, kassa, shop, 'lost', lost)
      const writes = planWrites([...early, ...late])
      await each(writes, async (each) => expect((await write(kassa.url, shop, each)).status).toBe(201))
      await untilDone(kassa.url, shop, writes)
      const before = await providers.books()
      await kassa.close()

      expect(await restoreDayOld(directory, empty.url, settings)).toMatchObject({ code: 0 })
      expect(await booksOf(empty.url, shop)).toEqual(inBackup)
      // While one provider is away, the state lasts.
      await providers.proxy.setAway(true)
      let again = await (kills > 0 ? spawnKassa(restored) : serveHere(restored))
      const stop = () => ('stop' in again ? again.stop() : again.kill('SIGKILL'))
      try {
        const created: Record<string, number> = {}
        await each([...early, ...late], async (sale) => {
          const { status } = await createSession(again.url, shop, requestOf(sale))
          const name = `${sale.route} ${status}`
          created[name] = (created[name] ?? 0) + 1
        })
        expect(Object.keys(created).filter((name) => !/ 20[01]$/.test(name))).toEqual(
          lost > 0 ? ['route_b 503'] : [],
        )
        const answers = await Promise.all(writes.map((each) => write(again.url, shop, each)))
        for (const { status, body } of answers)
          if (status === 201) expect(body.operation.statusReason).toContain('restore')
          else expect([404, 409]).toContain(status)
        expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
        const shown = await operateJson(restored, ['restore', 'show'])
        expect(shown.answer).toMatchObject({ restore: { endedAt: null } })
        expect(shown.answer.progress.waiting).toBeGreaterThan(0)
        expect(await providers.books()).toEqual(before)
        for (let kill = 0; kill < kills; kill++) {
          await stop()
          again = await spawnKassa(restored)
        }
        await providers.proxy.setAway(false)
        const ended = async () => (await operateJson(restored, ['restore', 'show'])).answer.restore.endedAt
        await expect.poll(ended, { timeout: LONG_MS, interval: 500 }).not.toBeNull()
        await each([...early, ...late], async (sale) => {
          // The service waits a little before it calls a provider again that was away.
          const outcome = async () => {
            const { status, body } = await createSession(again.url, shop, requestOf(sale))
            return status < 300 ? 'created' : `${sale.route} ${sale.key}: ${status} ${body.error?.code}`
          }
          await expect.poll(outcome, { timeout: LONG_MS, interval: 500 }).toBe('created')
        })
        await each(writes, async (each) => void (await write(again.url, shop, each)))
        await untilDone(again.url, shop, writes)
        expect(await providers.books()).toEqual(before)
        const own = async () => booksOf(empty.url, shop)
        const sums = Object.fromEntries(
          Object.entries(before).map(([route, { orders: _, ...money }]) => [route, money]),
        )
        await expect.poll(own, { timeout: LONG_MS, interval: 500 }).toEqual(sums)
        const report = (await operateJson(restored, ['restore', 'show', '--limit', '1000'])).answer
        expect(report.changed.length).toBeGreaterThanOrEqual(early.filter(({ isPaid }) => !isPaid).length)
        return report
      } finally {
        await stop()
      }
    } finally {
      await providers.close()
      await empty.drop()
      await rm(folder, { recursive: true })
    }
  })
}
