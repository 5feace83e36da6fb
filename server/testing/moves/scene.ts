/** A shop with paid and refunded orders whose database is moved, and what was acknowledged about each order. */
import { expect, inject, vi } from 'vitest'
import { openSession } from '../../access/sessions.ts'
import { addUser } from '../../access/users.ts'
import { readConfig } from '../../config.ts'
import { openService } from '../../service.ts'
import { inTransaction } from '../../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../calls.ts'
import { createEmptyDatabase, type TestDatabase } from '../database.ts'
import { openShop, type Shop, TEST_SETTINGS } from '../harness.ts'
import { type Operated, operate } from '../operator.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { type Move, MoveCommand, startMoveHere } from './command.ts'

const LOOK = { timeout: 60_000, interval: 50 }
/** Work that a stop has interrupted is continued after these seconds. */
const LEASES = { ATTEMPT_LEASE: '10', OPERATION_LEASE: '5', DELIVERY_LEASE: '5' }

/** Starts a service with these settings, in this process or in its own. Rejects with what it printed if it does not start. */
export type StartService = (settings: Record<string, string>) => Promise<Served>
type Served = { url: string; stop(): Promise<unknown> }

export class MoveScene {
  /** Where everything is now. */
  databaseUrl = ''
  shop!: Shop
  /** The cookie of a person who is signed in to the console. */
  session = ''
  receiver!: Receiver
  /** By the order's key: the payment's id. */
  readonly orders = new Map<string, string>()
  #databases: TestDatabase[] = []
  readonly #start: StartService

  constructor(start: StartService) {
    this.#start = start
  }

  async open(): Promise<void> {
    this.receiver = await startReceiver()
    this.databaseUrl = await this.emptyDatabase()
    const config = readConfig({ ...TEST_SETTINGS, LOG_LEVEL: 'silent', DATABASE_URL: this.databaseUrl })
    const service = await openService(config)
    this.shop = await openShop(service.ctx, { callbackUrl: this.receiver.url })
    const person = { name: 'Owner', role: 'administrator', email: 'owner@pay.example' } as const
    const { operator } = await addUser(service.ctx, person)
    this.session = await inTransaction(service.ctx.db, (tx) => openSession(tx, operator.id, '127.0.0.1'))
    await service.close()
  }

  async close(): Promise<void> {
    await this.receiver.close()
    for (const database of this.#databases) await database.drop()
  }

  async emptyDatabase(): Promise<string> {
    const database = await createEmptyDatabase(inject('postgresUrl'))
    this.#databases.push(database)
    return database.url
  }

  startMove(to: string): MoveCommand {
    return new MoveCommand(this.databaseUrl, to)
  }

  startMoveHere(to: string): Promise<Move> {
    return startMoveHere(this.databaseUrl, to)
  }

  /** Runs another command of the operator on the database that everything comes from. */
  operate(...words: string[]): Promise<Operated> {
    return operate({ DATABASE_URL: this.databaseUrl }, words)
  }

  /** Runs a service until `work` has ended, and stops it in the ordinary way. */
  async whileServing(work: (service: Served) => Promise<void>): Promise<void> {
    const service = await this.#start({ DATABASE_URL: this.databaseUrl, LOG_LEVEL: 'error', ...LEASES })
    try {
      await work(service)
    } finally {
      await service.stop()
    }
  }

  /** An order that is paid, and half of it refunded. */
  async sell(url: string): Promise<void> {
    const key = `order-${this.orders.size}`
    const body = sessionRequest({ merchantOrderId: key })
    const created = await createSession(url, this.shop, { key, body })
    expect(created.status).toBe(201)
    this.orders.set(key, created.body.id)
    await payAtBank(created.body.providerCheckoutUrl, 'paid')
    const half = { amountMinor: 950, reason: 'half' }
    const refunded = await askOperation(url, this.shop, created.body.id, 'refunds', { key, body: half })
    expect(refunded.status).toBe(201)
    await this.#expectRefunded(url, created.body.id)
  }

  /** Checks that the service knows every order once, and answers a repeated request with the same payment. */
  async expectAll(url: string): Promise<void> {
    for (const [key, id] of this.orders) {
      const body = sessionRequest({ merchantOrderId: key })
      const again = await createSession(url, this.shop, { key, body })
      expect([again.status, again.body.id]).toEqual([200, id])
      await this.#expectRefunded(url, id)
    }
    const ids = [...this.orders.values()]
    const received = () => this.receiver.received.map(({ event }) => event.data.payment.id)
    await vi.waitUntil(() => ids.every((id) => received().includes(id)), LOOK)
    // An event of a payment keeps its id and its number, however often it is sent.
    const idOf = new Map<string, string>()
    for (const { event } of this.receiver.received) {
      const numbered = `${event.data.payment.id} ${event.sequence}`
      expect([numbered, idOf.get(numbered) ?? event.id]).toEqual([numbered, event.id])
      idOf.set(numbered, event.id)
    }
  }

  async #expectRefunded(url: string, id: string): Promise<void> {
    await vi.waitFor(async () => {
      const { body } = await lookUp(url, this.shop, id)
      expect([body.capturedMinor, body.refundedMinor]).toEqual([1900, 950])
    }, LOOK)
  }
}
