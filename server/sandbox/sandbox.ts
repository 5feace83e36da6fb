/**
 * The simulated bank and the simulated cash register. Drivers call them over HTTP, like any other provider.
 * Rule: only the sandbox world has them. A live world would work without this folder.
 */
import type { Db } from '../storage/db.ts'
import {
  changeSandboxCard,
  changeSandboxOrder,
  claimSandboxCallbacks,
  findNextSandboxDeed,
  findSandboxCard,
  findSandboxCustomer,
  findSandboxOrder,
  insertSandboxCard,
  insertSandboxOrder,
  listDueSandboxOrders,
  noteSandboxCallback,
  raiseSandboxCustomer,
} from '../storage/sandbox/bank.ts'
import { findSandboxClock } from '../storage/sandbox/clock.ts'
import { findSandboxReceipt, takeSandboxReceipt } from '../storage/sandbox/receipts.ts'
import { answerBankRequest } from './bank/api.ts'
import { createSandboxBank, type SandboxBank } from './bank/bank.ts'
import type { Post } from './bank/callbacks.ts'
import { type CardStore, createSandboxCards, type SandboxCards } from './bank/cards.ts'
import { type CustomerStore, createCustomers } from './bank/customers.ts'
import type { BankStore } from './bank/order.ts'
import {
  answerRegisterRequest,
  createSandboxRegister,
  type RegisterStore,
  secretOfRegister,
} from './register/register.ts'
import type { Reply, SimulatorRequest } from './request.ts'

/** The deployment's own customer id at the simulated bank, unless its settings name another. */
const OWN_CUSTOMER = 'kassa'

const BANK = '/sandbox/bank'
const REGISTER = '/sandbox/register'
/** Where the APIs of the simulators are served. */
export const API_PATHS = { bank: `${BANK}/api`, register: `${REGISTER}/api` } as const

type Settings = Record<string, unknown>

export type Sandbox = {
  bank: SandboxBank
  cards: SandboxCards
  /**
   * The APIs of the simulators, by the path at which they are served. Each returns its reply.
   * @throws Error if the reply is lost: the caller closes the connection
   */
  apis: Record<string, (request: SimulatorRequest) => Promise<Reply>>
  /** The access to the simulators, for accounts whose own settings leave it out. */
  providerDefaults(driverName: string | null, settings: Settings): Settings
  fiscalDefaults(driverName: string, register: string): Settings
}

type Parts = {
  db: Db
  /** The sandbox's clock. */
  clock: { now(): Date; sandbox?: { moveTo(aheadMs: number): void } }
  /** Returns the service's key for a purpose. */
  derive(purpose: string): Buffer
  /** The service's public address, without a trailing slash. */
  baseUrl: string
  /** Sends the bank's callbacks. */
  post: Post
}

export function openSandbox({ db, clock, derive, baseUrl, post }: Parts): Sandbox {
  const customers = createCustomers(customerStore(db), derive('sandbox-bank'))
  const bank = createSandboxBank(bankStore(db), { customers, address: `${baseUrl}${BANK}`, post })
  const cards = createSandboxCards(cardStore(db), bank)
  const key = derive('sandbox-register')
  const register = createSandboxRegister(registerStore(db))
  return {
    bank,
    cards,
    apis: {
      async [API_PATHS.bank](request) {
        // Another process may have just moved the clock. This request may come from that process.
        clock.sandbox?.moveTo((await findSandboxClock(db)).offsetMs)
        return answerBankRequest({ bank, cards }, request, clock.now())
      },
      [API_PATHS.register]: (request) => answerRegisterRequest({ key, register }, request),
    },
    providerDefaults: defaultsOf(bank),
    fiscalDefaults: (driverName, name) =>
      driverName === 'sandbox'
        ? { ADDRESS: `${baseUrl}${REGISTER}`, SECRET: secretOfRegister(key, name) }
        : {},
  }
}

/** Gives the deployment's own customer of the simulated bank working credentials, so that nothing has to be configured. */
function defaultsOf({ address, customers }: SandboxBank): Sandbox['providerDefaults'] {
  const bank = { ADDRESS: address }
  const own = { ...bank, SECRET: customers.secretOf(OWN_CUSTOMER) }
  return (driverName, { CUSTOMER = OWN_CUSTOMER }) => {
    if (driverName !== 'sandbox') return {}
    return CUSTOMER === OWN_CUSTOMER ? own : bank
  }
}

function bankStore(db: Db): BankStore {
  return {
    find: (at) => findSandboxOrder(db, at),
    insert: (at, page) => insertSandboxOrder(db, at, page),
    change: (at, change) => changeSandboxOrder(db, at, change),
    listDue: (now, limit) => listDueSandboxOrders(db, now, limit),
    nextDueAt: () => findNextSandboxDeed(db),
    claimCallbacks: (now, leaseUntil, limit) => claimSandboxCallbacks(db, now, leaseUntil, limit),
    noteCallback: (callback, attempt) => noteSandboxCallback(db, callback, attempt),
  }
}

function cardStore(db: Db): CardStore {
  return {
    find: (at) => findSandboxCard(db, at),
    insert: (at, card) => insertSandboxCard(db, at, card),
    change: (at, change) => changeSandboxCard(db, at, change),
  }
}

function customerStore(db: Db): CustomerStore {
  return {
    find: (customer) => findSandboxCustomer(db, customer),
    raise: (customer, versions) => raiseSandboxCustomer(db, customer, versions),
  }
}

function registerStore(db: Db): RegisterStore {
  return {
    take: (order, decide) => takeSandboxReceipt(db, order, decide),
    find: (id, reference) => findSandboxReceipt(db, id, reference),
  }
}
