/**
 * The banks of the random histories: each has one account, books of its own (ledger-bank.ts) and a secret. A bank answers late, out
 * of order, wrongly, twice or never, and it notes what no bank should see.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type {
  CheckoutRequest,
  Driver,
  LookUpAnswer,
  MoneyWrite,
  ProviderCall,
  Snapshot,
  StartResult,
} from '../../providers/driver.ts'
import { DRIVERS } from '../../providers/registry.ts'
import {
  checkoutAt,
  HINTS,
  KEY_LIFETIME_MS,
  KEYED,
  type Ledger,
  openLedger,
} from '../providers/ledger-bank.ts'
import { holdsTransaction } from './transaction-watch.ts'

/**
 * For the next question. `late`: the answer is right when it is given, and arrives later. `held`: it arrives when the hold ends.
 * `amount`, `stranger`, `empty`: the answer has another amount, another reference, or claims money and reports none. `lost`: the
 * connection is reset.
 */
export type Trick = 'late' | 'held' | 'amount' | 'stranger' | 'empty' | 'lost'
/**
 * For the next order. `lost` opens it, and the answer is lost. `dropped` does not, and the answer is lost. `crash` opens it, and
 * the process that asked dies before it has stored anything.
 */
export type Opening = 'late' | 'lost' | 'dropped' | 'refused' | 'crash'
/** `begun` is resolved when a question is held. Its answer arrives when `over` is resolved. */
export type Hold = Record<'begun' | 'over', PromiseWithResolvers<void>>

export type Bank = {
  name: string
  secret: string
  keyed: boolean
  ledger: Ledger
  tricks: Trick[]
  hold: Hold | null
  openings: Opening[]
  /** The sums that the bank has told, by reference. */
  reported: Map<string, { authorizedMinor: number; capturedMinor: number; refundedMinor: number }[]>
  /** The writes that came in, with their time. */
  writes: { reference: string; key: string; at: number }[]
  /** How many of the next writes the bank acts on later, after their connection was reset. */
  slow: number
  later: (() => Promise<unknown>)[]
  /** How many of the next writes the bank acts on, and the process that asked dies before it has stored anything. */
  crashes: number
  /** How many orders are being opened now. */
  opening: number
  /** Ends the processes of this bank's world, until the turn ends. */
  kill: () => void
  /** The orders with a refund that failed after it succeeded. */
  undone: Set<string>
  /** The keys of the writes that it has done. */
  acted: Set<string>
  ctx: Pick<Context, 'clock' | 'db' | 'world'>
  calls: number
  /** What the bank should never have seen. */
  faults: string[]
}

const LATE_MS = 15
const HELD_MAX_MS = 2_000

const Settings = z.object({
  BANK: z.string().describe('The bank.'),
  SECRET: z.string().describe('Its secret.'),
  OPERATIONS: z.string().default('enabled').describe('As in the sandbox.'),
  RENEWALS: z.string().default('enabled').describe('As in the sandbox.'),
})

type Call = ProviderCall<Record<string, unknown>>

/** The banks of this process by name. */
const banks = new Map<string, Bank & { driver: Driver }>()

/** Opens the bank with empty books. The bank of this name before it is gone. */
export function openBank(
  ctx: Pick<Context, 'clock' | 'db' | 'world'>,
  { name, keyed, named }: { name: string; keyed: boolean; named: boolean },
): Bank {
  const holder = { clock: ctx.clock, routes: { route_a: {} } } as unknown as Context
  const ledger = openLedger(holder, { status: 'pending_payment', keyed, named })
  const driver = holder.routes.route_a.driver as Driver
  const known = banks.get(name)
  const bank: Bank & { driver: Driver } = {
    name,
    secret: known?.secret ?? `secret of ${name}`,
    keyed,
    ledger,
    driver,
    slow: 0,
    later: [],
    crashes: 0,
    opening: 0,
    kill: () => {},
    undone: new Set(),
    acted: new Set(),
    ctx,
    calls: 0,
    tricks: [],
    hold: null,
    openings: [],
    reported: new Map(),
    writes: [],
    faults: [],
  }
  banks.set(name, bank)
  return bank
}

/** A look at the database's sessions costs time, so only some calls take it. */
const WATCHED_EVERY = 5

/** Every call of Kassa comes through here. */
async function enter({ settings, account }: Call, what: string) {
  const bank = banks.get(String(settings.BANK))
  if (!bank) throw new Error('404: no such bank')
  if (bank.calls++ % WATCHED_EVERY === 0 && (await holdsTransaction(bank.ctx.db)))
    bank.faults.push(`${what} while a transaction was open`)
  if ((bank.ctx.world === 'live') !== account.live)
    bank.faults.push(`${what} from the other world: ${account.id}`)
  if (settings.SECRET !== bank.secret) throw new Error('401: wrong credentials')
  return bank
}

function bend(snapshot: Snapshot, trick: Trick | undefined): Snapshot {
  switch (trick) {
    case 'amount':
      return { ...snapshot, amountMinor: snapshot.amountMinor + 1 }
    case 'stranger':
      return { ...snapshot, reference: `${snapshot.reference}x` }
    case 'empty':
      return { ...snapshot, order: 'completed', authorizedMinor: 0, capturedMinor: 0, refundedMinor: 0 }
    default:
      return snapshot
  }
}

async function lookUp(call: Call, order: { reference: string; state: unknown }): Promise<LookUpAnswer> {
  const bank = await enter(call, 'a question')
  const trick = bank.tricks.shift()
  if (trick === 'lost') throw new Error('the connection was reset')
  const truth = (await bank.driver.lookUp?.(call, order)) ?? { kind: 'not_found' }
  if (trick === 'late') await sleep(LATE_MS)
  if (trick === 'held') {
    bank.hold?.begun.resolve()
    await Promise.race([bank.hold?.over.promise, sleep(HELD_MAX_MS)])
  }
  if (truth.kind !== 'found') return truth
  const { reference } = order
  const snapshot = bend(truth.snapshot, trick)
  if (snapshot === truth.snapshot)
    bank.reported.set(reference, [...(bank.reported.get(reference) ?? []), snapshot])
  return { kind: 'found', snapshot, opened: checkoutAt(reference) }
}

const write = (name: 'refund' | 'capture' | 'void') => async (call: Call, given: MoneyWrite) => {
  const bank = await enter(call, `a ${name}`)
  const { reference, key } = given
  if (!bank.ledger.orders.has(reference)) bank.faults.push(`a ${name} of an unknown order ${reference}`)
  const at = call.now().getTime()
  const first = bank.writes.find((each) => each.key === key)
  if (first && !(bank.keyed && at - first.at < KEY_LIFETIME_MS))
    bank.faults.push(`the bank was told twice: ${key}`)
  bank.writes.push({ reference, key, at })
  const method = bank.driver[name] as NonNullable<Driver['refund']>
  const act = async () => {
    const before = bank.ledger.orders.get(reference)
    const result = await method(call, given).finally(() => {
      if (bank.ledger.orders.get(reference) !== before) bank.acted.add(key)
    })
    if (result.kind === 'pending') bank.acted.delete(key)
    return result
  }
  if (bank.slow > 0) {
    bank.slow--
    bank.later.push(() => act().catch(() => {}))
    throw new Error('the connection was reset')
  }
  const result = await act()
  if (bank.crashes > 0) {
    bank.crashes--
    bank.kill()
  }
  if (given.amountMinor % 3 === 0) await sleep(LATE_MS)
  return result
}

async function openOrder(call: Call, attempt: CheckoutRequest): Promise<StartResult> {
  const bank = await enter(call, 'an order')
  const { reference } = attempt
  const opening = bank.openings.shift()
  if (bank.ledger.orders.has(reference)) bank.faults.push(`the order ${reference} was opened twice`)
  if (opening === 'refused') return { kind: 'refused', message: 'the bank says no', refusal: 'order' }
  if (opening === 'dropped') throw new Error('the connection was reset')
  const started = await bank.driver.startCheckout?.(call, attempt)
  if (opening === 'late') await sleep(LATE_MS)
  if (opening === 'crash') bank.kill()
  if (opening === 'lost' || !started) throw new Error('the connection was reset')
  return started
}

function driverOf(keyed: boolean): Driver {
  return {
    label: 'Model',
    currencies: ['USD'],
    liveCapable: true,
    supportsAutoinit: true,
    settings: Settings,
    identity: ['BANK'],
    secrets: ['SECRET'],
    ...(keyed && { keyed: () => KEYED }),
    async startCheckout(call, attempt) {
      const bank = banks.get(String(call.settings.BANK))
      if (bank) bank.opening++
      try {
        return await openOrder(call, attempt)
      } finally {
        if (bank) bank.opening--
      }
    },
    lookUp,
    // Only the keyed bank ends orders on request.
    ...(keyed &&
      ({
        async withdraw(call, { reference }) {
          const { ledger } = await enter(call, 'a withdrawal')
          const isOpen = ledger.orders.get(reference)?.order === 'reached'
          if (isOpen) ledger.move(reference, { order: 'expired' })
          return isOpen
            ? { kind: 'done' }
            : { kind: 'refused', message: 'the order is over', refusal: 'order' }
        },
      } satisfies Partial<Driver>)),
    inbound: HINTS,
    refund: write('refund'),
    capture: write('capture'),
    void: write('void'),
  }
}

/** Adds the drivers `model_plain` and `model_keyed` to the driver table of this process. */
export function addModelDrivers(): void {
  DRIVERS.model_plain = { driver: driverOf(false), settings: Settings }
  DRIVERS.model_keyed = { driver: driverOf(true), settings: Settings }
}

/** Removes them, because other test files in this process compare the table with the settings. */
export function removeModelDrivers(): void {
  delete DRIVERS.model_plain
  delete DRIVERS.model_keyed
}
