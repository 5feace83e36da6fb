/** The records of the simulated bank and the simulated cash register, in the database. */
import type { Db } from '../storage/db.ts'
import { claimSandboxCallbacks, noteSandboxCallback } from '../storage/sandbox/callbacks.ts'
import { changeSandboxCard, findSandboxCard, insertSandboxCard } from '../storage/sandbox/cards.ts'
import { findSandboxCustomer, raiseSandboxCustomer } from '../storage/sandbox/customers.ts'
import {
  changeSandboxOrder,
  findNextSandboxDeed,
  findSandboxOrder,
  insertSandboxOrder,
  listDueSandboxOrders,
} from '../storage/sandbox/orders.ts'
import { findSandboxReceipt, takeSandboxReceipt } from '../storage/sandbox/receipts.ts'
import type { CardStore } from './bank/cards.ts'
import type { CustomerStore } from './bank/customers.ts'
import type { BankStore } from './bank/order.ts'
import type { RegisterStore } from './register/register.ts'

export function bankStore(db: Db): BankStore {
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

export function cardStore(db: Db): CardStore {
  return {
    find: (at) => findSandboxCard(db, at),
    insert: (at, card) => insertSandboxCard(db, at, card),
    change: (at, change) => changeSandboxCard(db, at, change),
  }
}

export function customerStore(db: Db): CustomerStore {
  return {
    find: (customer) => findSandboxCustomer(db, customer),
    raise: (customer, versions) => raiseSandboxCustomer(db, customer, versions),
  }
}

export function registerStore(db: Db): RegisterStore {
  return {
    take: (order, decide) => takeSandboxReceipt(db, order, decide),
    find: (id, reference) => findSandboxReceipt(db, id, reference),
  }
}
