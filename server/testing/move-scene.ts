/** A shop whose buyers pay without a pause while its database is moved, and a ledger of all that was acknowledged to anybody. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { openService } from '../service.ts'
import { askOperation, createSession, lookUp, sessionRequest } from './calls.ts'
import { createEmptyDatabase, type TestDatabase } from './database.ts'
import { type KassaProcess, openShop, SECRETS_KEY, type Shop, spawnKassa, TEST_SETTINGS } from './harness.ts'
import type { Operated } from './operator.ts'
import { endProcess, startProcess, type TestProcess } from './processes/child-process.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const ADMIN = new URL('../admin.ts', import.meta.url).pathname
const BUYERS = 2
/** The buyers share two processors with the move. */
const PAUSE_MS = 30
const LOOK = { timeout: 60_000, interval: 5 }
const CHECKS_AT_ONCE = 4
/** Work that a closed database has interrupted is continued after these seconds. */
const LEASES = { ATTEMPT_LEASE: '10', OPERATION_LEASE: '5', DELIVERY_LEASE: '5' }
const LIFE = { timeout: 60_000, interval: 100 }

/** What was acknowledged about one order. */
type Order = { key: string; id?: string; isPaid: boolean; isRefunded: boolean }

export class MoveScene {
  orders: Order[] = []
  /** How often each status was answered to the shop. */
  answers: Record<string, number> = {}
  services: KassaProcess[] = []
  /** Where everything is now. */
  databaseUrl = ''
  shop!: Shop
  receiver!: Receiver
  #databases: TestDatabase[] = []
  #isOver = false
  #buyers: Promise<void>[] = []

  async open(): Promise<void> {
    this.receiver = await startReceiver()
    this.databaseUrl = (await this.emptyDatabase()).url
    const config = readConfig({
      ...TEST_SETTINGS,
      LOG_LEVEL: 'silent',
      DATABASE_URL: this.databaseUrl,
    })
    const service = await openService(config)
    this.shop = await openShop(service.ctx, { callbackUrl: this.receiver.url })
    await service.close()
  }

  async close(): Promise<void> {
    await this.stopBuyers()
    for (const service of this.services) await service.kill('SIGKILL')
    await this.receiver.close()
    for (const database of this.#databases) await database.drop()
  }

  async emptyDatabase(): Promise<TestDatabase> {
    const database = await createEmptyDatabase(inject('postgresUrl'))
    this.#databases.push(database)
    return database
  }

  /** Starts another service, which takes payments from now on. */
  async serve(settings: Record<string, string> = {}): Promise<KassaProcess> {
    const service = await spawnKassa({
      DATABASE_URL: this.databaseUrl,
      LOG_LEVEL: 'error',
      ...LEASES,
      ...settings,
    })
    this.services.push(service)
    return service
  }

  async killServices(): Promise<void> {
    for (const service of this.services.splice(0)) await service.kill('SIGKILL')
  }

  sendBuyers(): void {
    this.#isOver = false
    this.#buyers = Array.from({ length: BUYERS }, () => this.#buy())
  }

  async stopBuyers(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#buyers)
  }

  async #buy(): Promise<void> {
    while (!this.#isOver) {
      const service = this.services[this.orders.length % this.services.length]
      if (service) await this.sell(service.url).catch(() => this.#count('no answer'))
      await sleep(PAUSE_MS)
    }
  }

  /** An order that is paid, and half of it refunded, as far as the service lets it go. */
  async sell(url: string): Promise<Order> {
    const order: Order = {
      key: `the-order-${String(this.orders.length).padStart(7, '0')}`,
      isPaid: false,
      isRefunded: false,
    }
    this.orders.push(order)
    const body = sessionRequest({ merchantOrderId: order.key })
    const created = await createSession(url, this.shop, { key: order.key, body })
    this.#count(`create ${created.status}`)
    if (created.status === 503) expectForMerchant(created)
    if (created.status !== 201) return order
    order.id = created.body.id
    order.isPaid = await payAtBank(created.body.providerCheckoutUrl)
    if (!order.isPaid) return order
    await this.#refund(url, order)
    return order
  }

  async #refund(url: string, order: Order): Promise<void> {
    const refunded = await askOperation(url, this.shop, order.id as string, 'refunds', {
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
  startMove(to: string, settings: Record<string, string> = {}): MoveCommand {
    return new MoveCommand(['database', 'move', '--to', to], { DATABASE_URL: this.databaseUrl, ...settings })
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
    const { key, isPaid } = order
    if (!order.id) {
      const body = sessionRequest({ merchantOrderId: key })
      const again = await createSession(url, this.shop, { key, body })
      expect([200, 201], JSON.stringify(again.body)).toContain(again.status)
      order.id = again.body.id
    }
    const untilSum = (name: 'capturedMinor' | 'refundedMinor', sum: number) =>
      vi.waitFor(async () => {
        const { status, body } = await lookUp(url, this.shop, order.id as string)
        expect([key, status, name, body[name]]).toEqual([key, 200, name, sum])
      }, LIFE)
    if (!isPaid) return
    // The bank has the money. The service may have to ask the bank about it.
    await untilSum('capturedMinor', 1900)
    if (!order.isRefunded) await this.#refund(url, order)
    await untilSum('refundedMinor', 950)
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

/** Returns whether the bank has taken the money. The buyer's way back may fail. */
async function payAtBank(checkoutUrl: string): Promise<boolean> {
  const { url } = await fetch(checkoutUrl)
  const chosen = await fetch(url.split('?')[0] ?? '', {
    method: 'POST',
    body: new URLSearchParams({ outcome: 'paid' }),
    redirect: 'manual',
  })
  if (chosen.status !== 303) return false
  await fetch(chosen.headers.get('location') ?? '', { redirect: 'manual' }).catch(() => {})
  return true
}

/** A command that moves a database. */
export class MoveCommand {
  readonly child: TestProcess
  readonly startedMs = performance.now()
  readonly #said = { stdout: '', stderr: '' }
  /** Its output and its exit code, null if it was killed. */
  readonly ended: Promise<Operated>

  constructor(args: string[], settings: Record<string, string>) {
    this.child = startProcess(ADMIN, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settings } })
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name].setEncoding('utf8').on('data', (text: string) => (this.#said[name] += text))
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => resolve({ code, ...this.#said })),
    )
  }

  /** Waits until the command has printed this. */
  async until(text: string): Promise<void> {
    await vi.waitUntil(() => this.#said.stdout.includes(text) || this.child.exitCode !== null, LOOK)
  }

  kill(): Promise<void> {
    return endProcess(this.child, 'SIGKILL')
  }
}
