/** Drives a real Medusa: its buyer through the Store API, its staff through the Admin API. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toMajor, toMinor } from '../../../clients/node/kassa.mjs'
import { freePort } from '../../harness.ts'
import { findInstall } from '../install.ts'
import type { Opening, OrderView, Platform, PlatformShop, Refusal, Sum } from '../platform.ts'
import { programOn, runToEnd } from '../program.ts'
import { fillProject } from '../project.ts'

const FILES = ['medusa-config.js', 'seed.js']
const CLI = 'node_modules/@medusajs/cli/cli.js'
const PROVIDER = 'pp_kassa_kassa'
const ADDRESS = { first_name: 'Ani', last_name: 'A', address_1: '1', city: 'Gyumri' }
const COUNTRIES: Record<string, string> = { USD: 'us', AMD: 'am' }
const ORDER_FIELDS = ['payments', 'payments.captures', 'payments.refunds'].map(
  (each) => `*payment_collections.${each}`,
)

type Seeded = {
  publishableKey: string
  variant: string
  regions: Record<string, string>
  staff: { email: string; password: string }
}
type Row = { id: string; amount: number }
type Payment = Row & { canceled_at: string | null; captures: Row[]; refunds: Row[] }
type Order = {
  id: string
  status: string
  metadata: { kassa?: string } | null
  cart?: { id: string }
  payment_collections: { payments: Payment[] }[]
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of every shape
type Answer = any

export const MEDUSA: Platform = {
  name: 'medusa',
  find: () => findInstall('medusa', 'Medusa'),
  gaps: { saveSettings: 'Medusa has its settings in a file. They are checked when it starts.' },
  open: openMedusa,
}

export async function openMedusa({ kassa, install, folder, databaseUrl }: Opening): Promise<PlatformShop> {
  fillProject(folder, { install, plugin: 'medusa' })
  for (const file of FILES) copyFileSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, file))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    DATABASE_URL: databaseUrl,
    KASSA_URL: kassa.url,
    KASSA_TOKEN: kassa.token,
    KASSA_WEBHOOK_SECRET: kassa.webhookSecret,
    MEDUSA_DISABLE_TELEMETRY: 'true',
    NODE_ENV: 'production',
  }
  const cli = (...args: string[]) => ({ args: [CLI, ...args], cwd: folder, env })
  await runToEnd(cli('db:migrate', '--execute-all-links', '--skip-scripts'))
  const printed = await runToEnd(cli('exec', './seed.js'))
  const seeded: Seeded = JSON.parse(/SEEDED (\{.*\})/.exec(printed)?.[1] ?? printed)
  const program = programOn(`${url}/health`, cli('start', '--host', '127.0.0.1', '--port', String(port)))
  await program.start()

  async function call(path: string, headers: Record<string, string>, body?: object): Promise<Answer> {
    const answer = await fetch(`${url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    })
    const value = await answer.json()
    if (!answer.ok) throw new Error(value.message ?? JSON.stringify(value))
    return value
  }
  const { token } = await call('/auth/user/emailpass', {}, seeded.staff)
  const admin = (path: string, body?: object) =>
    call(`/admin${path}`, { authorization: `Bearer ${token}` }, body)
  const store = (path: string, body?: object) =>
    call(`/store${path}`, { 'x-publishable-api-key': seeded.publishableKey }, body)
  const currencies = new Map<string, Sum['currency']>()
  const currencyOf = (cart: string) => currencies.get(cart) ?? 'USD'
  const minorOf = (amount: number, cart: string) => toMinor(String(amount), currencyOf(cart))
  const add = (cart: string) =>
    store(`/carts/${cart}/line-items`, { variant_id: seeded.variant, quantity: 1 })

  async function findOrder(cart: string): Promise<Order | undefined> {
    const fields = ['id', 'status', 'metadata', '*cart', ...ORDER_FIELDS].join(',')
    const { orders } = await admin(`/orders?limit=100&order=-created_at&fields=${fields}`)
    return orders.find((order: Order) => order.cart?.id === cart)
  }
  async function paymentOf(cart: string): Promise<string> {
    const payments = (await findOrder(cart))?.payment_collections.flatMap((each) => each.payments) ?? []
    const alive = payments.find(({ canceled_at }) => canceled_at === null)
    if (!alive) throw new Error(`The cart ${cart} has no order with a payment.`)
    return alive.id
  }
  async function sessionsOf(cart: string): Promise<Answer[]> {
    const { cart: found } = await store(`/carts/${cart}?fields=id,*payment_collection.payment_sessions`)
    return found.payment_collection?.payment_sessions ?? []
  }

  return {
    callbackUrl: `${url}/kassa/events`,
    version: 'Medusa 2.21.2',
    async createOrder({ currency, amountMinor }) {
      const region_id = seeded.regions[currency]
      const { cart } = await store('/carts', { region_id, email: 'ani@shop.example' })
      currencies.set(cart.id, currency)
      await add(cart.id)
      const address = { ...ADDRESS, country_code: COUNTRIES[currency] }
      const { cart: filled } = await store(`/carts/${cart.id}`, {
        shipping_address: address,
        billing_address: address,
      })
      if (minorOf(filled.total, cart.id) !== amountMinor)
        throw new Error(`The tea costs ${filled.total} ${currency}.`)
      return cart.id
    },
    async checkOut(cart) {
      const open = (await sessionsOf(cart)).find(({ status }) => status === 'pending')
      if (open) return { checkoutUrl: open.data.checkoutUrl, paymentId: open.data.id }
      const { payment_collection: collection } = await store('/payment-collections', { cart_id: cart })
      const { payment_collection: begun } = await store(
        `/payment-collections/${collection.id}/payment-sessions`,
        { provider_id: PROVIDER, data: { return_url: 'https://shop.example/thanks' } },
      )
      const { data } = begun.payment_sessions.find(({ status }: Answer) => status === 'pending')
      return { checkoutUrl: data.checkoutUrl, paymentId: data.id }
    },
    async changeCart(cart) {
      const { cart: changed } = await add(cart)
      return minorOf(changed.total, cart)
    },
    async comeBack(cart) {
      await store(`/carts/${cart}/complete`, {})
    },
    async view(cart): Promise<OrderView> {
      const order = await findOrder(cart)
      const payments = order?.payment_collections.flatMap((each) => each.payments) ?? []
      const sum = (rows: Row[]) => rows.reduce((total, { amount }) => total + minorOf(amount, cart), 0)
      const paidMinor = sum(payments.flatMap(({ captures }) => captures))
      const isHeld = payments.some(({ canceled_at }) => canceled_at === null)
      const sessions = order ? [] : await sessionsOf(cart)
      return {
        state: order?.status === 'canceled' ? 'cancelled' : paidMinor > 0 ? 'paid' : isHeld ? 'held' : 'open',
        paidMinor,
        refundedMinor: sum(payments.flatMap(({ refunds }) => refunds)),
        failures: sessions.filter(({ status }) => status === 'error' || status === 'canceled').length,
        notes: order?.metadata?.kassa ? [order.metadata.kassa] : [],
      }
    },
    async refund(cart, amountMinor) {
      const amount = Number(toMajor(amountMinor, currencyOf(cart)))
      return refusalOf(admin(`/payments/${await paymentOf(cart)}/refund`, { amount }))
    },
    capture: async (cart) => refusalOf(admin(`/payments/${await paymentOf(cart)}/capture`, {})),
    void: async (cart) => refusalOf(admin(`/orders/${(await findOrder(cart))?.id}/cancel`, {})),
    saveSettings: () => Promise.reject(new Error('Medusa has its settings in a file.')),
    kill: program.kill,
    restart: program.start,
    output: program.output,
    close: program.kill,
  }
}

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => null,
    (error: Error) => error.message,
  )
