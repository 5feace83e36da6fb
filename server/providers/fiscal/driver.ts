/**
 * The port of cash registers: what a fiscal driver is, what it is told and what it may answer. No tax office's word is here.
 * Law: a register is told one thing at a time, under rising sequence numbers; whether it prints the same thing twice when it
 * is told twice is nothing to rely on.
 */
import type { CurrencyCode, Metadata } from '../../contract/fields.ts'
import type { Finding } from '../driver.ts'
import type { ProviderHttp } from '../http.ts'

/** Everything outside that a fiscal driver can reach. */
export type FiscalCall = {
  now(): Date
  /** The ROUTE_X_FISCAL_* settings, as the driver's own schema parsed them. */
  settings: Record<string, unknown>
  /** The register's name, with its owner's id where it is a merchant's. */
  name: string
  /** The only way out. A register may want a client certificate. */
  http: ProviderHttp
}

/** A receipt to be printed. Amounts in minor units. */
export type ReceiptOrder = {
  /** Our receipt's id: for registers that can be asked by it. */
  reference: string
  /** Rises from one order to this register to the next, and may leave numbers out. Another try has another one. */
  sequence: number
  amountMinor: number
  currency: CurrencyCode
  description: string | null
  /** The merchant's own data; in sandbox mode `sandboxFault` in it summons a fault of the simulated register. */
  metadata: Metadata | null
}

/** A refund's receipt stands against that of its sale, which the register knows by its number. */
export type RefundReceiptOrder = ReceiptOrder & { saleNumber: string }

export type IssuedReceipt = { kind: 'issued'; number: string; url?: string }

/**
 * `refused`: the register said no, and will say so again. `unavailable`: it certainly printed nothing, and may do so later.
 * `unknown`: the answer is lost; it may have printed. A driver may also throw: the outcome is then unknown, unless its
 * ProviderHttp has sent nothing but questions.
 */
export type PrintResult =
  | IssuedReceipt
  | { kind: 'refused'; message: string }
  | { kind: 'unavailable'; message: string }
  | { kind: 'unknown'; message: string }

export type ReceiptLookUp = IssuedReceipt | { kind: 'not_found' } | { kind: 'unavailable'; message: string }

export type FiscalDriver = {
  label: string
  /** Payments in others need no receipt of this register. */
  currencies: readonly CurrencyCode[]
  /** The names of the settings that are secret. They are stored sealed and never shown. */
  secrets?: readonly string[]
  /** The register's name: who is told one thing at a time. Two accounts of one owner may share one. */
  registerOf(settings: Record<string, unknown>): string
  /** The absolute addresses that the driver calls. Absent: it calls nobody. */
  addresses?(settings: Record<string, unknown>): string[]
  /** Asks the register something harmless: do address and certificate work, and is the register active? */
  check?(call: FiscalCall): Promise<Finding[]>
  issueReceipt(call: FiscalCall, order: ReceiptOrder): Promise<PrintResult>
  issueRefundReceipt(call: FiscalCall, order: RefundReceiptOrder): Promise<PrintResult>
  /** Whether an order whose answer was lost was printed. Absent where the register cannot say: then a person looks. */
  lookUpReceipt?(call: FiscalCall, order: ReceiptOrder): Promise<ReceiptLookUp>
}

/** A route's fiscal driver with its settings. */
export type RouteFiscal = {
  driverName: string
  driver: FiscalDriver
  settings: Record<string, unknown>
  register: string
}
