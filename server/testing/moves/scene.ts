/** A shop whose buyers pay without a pause while its database is moved, and a ledger of all that was acknowledged to anybody. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, vi } from 'vitest'
import { readConfig } from '../../config.ts'
import { openService } from '../../service.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../calls.ts'
import { createEmptyDatabase, type TestDatabase } from '../database.ts'
import { type KassaProcess, openShop, type Shop, spawnKassa, TEST_SETTINGS } from '../harness.ts'
import { type Operated, operate } from '../operator.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { MoveCommand } from './command.ts'

const BUYERS = 2
/** The buyers share two processors with the move. */
const PAUSE_MS = 30
const CHECKS_AT_ONCE = 4
/** Work that a closed database has interrupted is continued after these seconds. */
const LEASES = { ATTEMPT_LEASE: '10', OPERATION_LEASE: '5', DELIVERY_LEASE: '5' }
const LIFE = { timeout: 60_000, interval: 100 }

/** Where a shop sells in one world. `pay`: returns whether the provider has taken the money. The buyer's way back may fail. */
export type Till = { shop: Shop; pay(checkoutUrl: string, serviceUrl: string): Promise<boolean> }

export type Deployment = {
  /** Of its services and its commands. */
  settings: Record<string, string>
  /** Of its services alone. Known when the tills are open. */
  serviceSettings?(): Record<string, string>
  /** The program of its services, if it is not the usual one. */
  entry?: string
  emptyDatabase(): Promise<TestDatabase>
  /** Opens the database for the first time. */
  openTills(databaseUrl: string, callbackUrl: string): Promise<Till[]>
  /** Called for each service. */
  onService?(url: string): void
  /** Compares the orders with the books of a provider that is outside of the database. */
  expectBooks?(orders: readonly Order[]): void
  close?(): Promise<void>
}

const SANDBOX: Deployment = {
  settings: {},
  emptyDatabase: () => createEmptyDatabase(inject('postgresUrl')),
  async openTills(databaseUrl, callbackUrl) {
    const config = readConfig({ ...TEST_SETTINGS, LOG_LEVEL: 'silent', DATABASE_URL: databaseUrl })
    const service = await openService(config)
    const shop = await openShop(service.ctx, { callbackUrl })
    await service.close()
    return [{ shop, pay: payAtBank }]
  },
}

/** What was acknowledged about one order. */
export type Order = { key: string; till: Till; id?: string; isPaid: boolean; isRefunded: boolean }

export class MoveScene {
  orders: Order[] = []
  /** How often each status was answered to the shop. */
  answers: Record<string, number> = {}
  services: KassaProcess[] = []
  /** Where everything is now. */
  databaseUrl = ''
  tills: Till[] = []
  receiver!: Receiver
  readonly #deployment: Deployment
  #databases: TestDatabase[] = []
  #isOver = false
  #buyers: Promise<void>[] = []

  constructor(changes: Partial<Deployment> = {}) {
    this.#deployment = { ...SANDBOX, ...changes }
  }

  async open(): Promise<void> {
    this.receiver = await startReceiver()
    this.databaseUrl = (await this.emptyDatabase()).url
    this.tills = await this.#deployment.openTills(this.databaseUrl, this.receiver.url)
  }

  async close(): Promise<void> {
    await this.stopBuyers()
    for (const service of this.services) await service.kill('SIGKILL')
    await this.receiver.close()
    await this.#deployment.close?.()
    for (const database of this.#databases) await database.drop()
  }

  async emptyDatabase(): Promise<TestDatabase> {
    const database = await this.#deployment.emptyDatabase()
    this.#databases.push(database)
    return database
  }

  /** Starts another service, which takes payments from now on. */
  async serve(changes: Record<string, string> = {}): Promise<KassaProcess> {
    const { settings, serviceSettings, entry, onService } = this.#deployment
    const own = { ...LEASES, ...settings, ...serviceSettings?.(), ...changes }
    const service = await spawnKassa({ DATABASE_URL: this.databaseUrl, LOG_LEVEL: 'error', ...own }, entry)
    onService?.(service.url)
    this.services.push(service)
    return service
  }

  async killServices(): Promise<void> {
    for (const service of this.services.splice(0)) await service.kill('SIGKILL')
  }

  sendBuyers(): void {
    this.#isOver = false
    // Each stays in one world, because beside real payments the sandbox is slow.
    this.#buyers = Array.from({ length: BUYERS }, (_, buyer) => this.#buy(this.#tillOf(buyer)))
  }

  async stopBuyers(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#buyers)
  }

  #tillOf(number: number): Till {
    return this.tills[number % this.tills.length] as Till
  }

  async #buy(till: Till): Promise<void> {
    while (!this.#isOver) {
      const service = this.services[this.orders.length % this.services.length]
      if (service) await this.sell(service.url, till).catch(() => this.#count('no answer'))
      await sleep(PAUSE_MS)
    }
  }

  /** An order that is paid, and half of it refunded, as far as the service lets it go. */
  async sell(url: string, till = this.#tillOf(this.orders.length)): Promise<Order> {
    const order: Order = {
      key: `the-order-${String(this.orders.length).padStart(7, '0')}`,
      till,
      isPaid: false,
      isRefunded: false,
    }
    this.orders.push(order)
    const { key } = order
    const created = await createSession(url, till.shop, {
      key,
      body: sessionRequest({ merchantOrderId: key }),
    })
    this.#count(`create ${created.status}`)
    if (created.status === 503) expectForMerchant(created)
    if (created.status !== 201) return order
    order.id = created.body.id
    order.isPaid = await till.pay(created.body.providerCheckoutUrl, url)
    if (!order.isPaid) return order
    await this.#refund(url, order)
    return order
  }

  async #refund(url: string, order: Order): Promise<void> {
    const refunded = await askOperation(url, order.till.shop, order.id as string, 'refunds', {
      key: order.key,
      body: { amountMinor: 950, reason: 'half' },
    })
    this.#count(`refund ${refunded.status}`)
    if (refunded.status === 503) expectForMerchant(refunded)
    order.isRefunded = [200, 201].includes(refunded.status)
  }

  #count(answer: string): void {
    this.answers[answer] = (this.answers[answer] ?? 0) + 1
  }

  /** Starts the command that moves the database in its own process. */
  startMove(to: string, changes: Record<string, string> = {}): MoveCommand {
    const { settings } = this.#deployment
    const own = { DATABASE_URL: this.databaseUrl, ...settings, ...changes }
    return new MoveCommand(['database', 'move', '--to', to], own)
  }

  /** Runs another command of the operator on the database that is moved. */
  operate(...words: string[]): Promise<Operated> {
    return operate({ DATABASE_URL: this.databaseUrl, ...this.#deployment.settings }, words)
  }

  /** Checks that a service knows all that was acknowledged, and that what was refused can be repeated under the same key. */
  async expectAll(url: string, orders = this.orders): Promise<void> {
    const waiting = [...orders]
    const check = async () => {
      for (let order = waiting.pop(); order; order = waiting.pop()) await this.#expectOrder(url, order)
    }
    await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, check))
  }

  async #expectOrder(url: string, order: Order): Promise<void> {
    const { key, isPaid, till } = order
    if (!order.id) {
      const body = sessionRequest({ merchantOrderId: key })
      const again = await createSession(url, till.shop, { key, body })
      expect([200, 201], JSON.stringify(again.body)).toContain(again.status)
      order.id = again.body.id
    }
    const untilSum = (name: 'capturedMinor' | 'refundedMinor', sum: number) =>
      vi.waitFor(async () => {
        const { status, body } = await lookUp(url, till.shop, order.id as string)
        expect([key, status, name, body[name]]).toEqual([key, 200, name, sum])
      }, LIFE)
    if (!isPaid) return
    // The provider has the money. The service may have to ask the provider about it.
    await untilSum('capturedMinor', 1900)
    if (!order.isRefunded) await this.#refund(url, order)
    await untilSum('refundedMinor', 950)
  }

  /** Checks that nothing was done twice at a provider whose books are not in the database. */
  expectBooks(): void {
    this.#deployment.expectBooks?.(this.orders)
  }

  /** Checks that the shop was told of every payment. */
  async expectEvents(): Promise<void> {
    const paid = this.orders.filter(({ isPaid }) => isPaid).map(({ id }) => id)
    const told = () => new Set(this.receiver.received.map(({ event }) => event.data.payment.id))
    await vi.waitUntil(() => paid.every((id) => told().has(id as string)), LIFE)
  }
}

/** A merchant is told to come again, and nothing of databases and moves. */
function expectForMerchant({ headers, body }: { headers: Headers; body: unknown }): void {
  expect(headers.get('retry-after')).toMatch(/^\d+$/)
  expect(JSON.stringify(body)).not.toMatch(/DATABASE|move|postgres/i)
}

export const PUBLIC = 'https://pay.example'

/** A buyer's request. The addresses of a live service are public ones, which a proxy would forward to it. */
export function browse(address: string, serviceUrl: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'x-forwarded-proto': 'https', ...init.headers }
  return fetch(address.replace(PUBLIC, serviceUrl), { ...init, headers, redirect: 'manual' })
}

/** Pays at the simulated bank. */
export async function payAtBank(checkoutUrl: string, serviceUrl: string): Promise<boolean> {
  const shown = await browse(checkoutUrl, serviceUrl)
  const page = shown.headers.get('location') ?? checkoutUrl
  const body = new URLSearchParams({ outcome: 'paid' })
  const chosen = await browse(page.split('?')[0] ?? '', serviceUrl, { method: 'POST', body })
  if (chosen.status !== 303) return false
  await browse(chosen.headers.get('location') ?? '', serviceUrl).catch(() => {})
  return true
}
