/**
 * The port of cash registers: what a fiscal driver is, what it gets and what it may return. No tax office is named here.
 * Rule: each register gets one order at a time, with rising sequence numbers, or with the next one only (`takesOnlyNext`). The core
 * never relies on a register to recognize a repeated order.
 */
import type { CurrencyCode, Metadata } from '../../contract/fields.ts'
import type { Finding } from '../driver.ts'
import type { ProviderHttp } from '../http.ts'

/** Everything outside that a fiscal driver can reach. */
export type FiscalCall = {
  now(): Date
  /** The ROUTE_X_FISCAL_* settings, as the driver's own schema parsed them. */
  settings: Record<string, unknown>
  /** The register's name. A merchant's own register also has its owner's id. */
  name: string
  /** Sends every request. A register may need a client certificate. */
  http: ProviderHttp
  /**
   * Returns the register's next number, for a request besides the one that has the order's `sequence`. No other request gets it, also after
   * a crash, unless `takesOnlyNext` gives it to the next order.
   * @throws Error if another process has taken over the register
   */
  nextNumber(): Promise<number>
}

/** A receipt to be printed. Amounts in minor units. */
export type ReceiptOrder = {
  /** Our receipt's id, for registers that can be asked by it. */
  reference: string
  /**
   * Rises from one request to this register to the next. Numbers may be left out, and are after a restore. A retry has a new number.
   */
  sequence: number
  amountMinor: number
  currency: CurrencyCode
  description: string | null
  /** What was sold or returned. Their amounts add up to that of the receipt. */
  lines: readonly ReceiptLine[]
  /** The merchant's own data. In the sandbox, `sandboxFault` in it causes a fault of the simulated register. */
  metadata: Metadata | null
}

/** `productId`: the shop's own, by which the settings of a register may know its group and tax. Null: of no product. */
export type ReceiptLine = { productId: string | null; name: string; quantity: number; amountMinor: number }

/** A refund's receipt refers to that of its sale, which the register knows by its number. */
export type RefundReceiptOrder = ReceiptOrder & { saleNumber: string }

/**
 * `printed`: what stands on the receipt and a buyer may have to show, by the register's own labels, such as the number of the register.
 * `qr`: the text of its QR code.
 */
export type IssuedReceipt = {
  kind: 'issued'
  number: string
  url?: string
  printed?: Record<string, string>
  qr?: string
}

/**
 * `refused`: the register rejected the order and will reject it again. `pending`: it has taken the order, and prints it later; it is then
 * asked with `lookUpReceipt`. `unavailable`: it certainly printed nothing, and may
 * print later. `unknown`: the response is lost, and it may have printed. A driver may also throw. The outcome is then unknown,
 * unless its ProviderHttp has sent only reads.
 */
export type PrintResult =
  | IssuedReceipt
  | { kind: 'refused'; message: string }
  | { kind: 'pending'; message: string }
  | { kind: 'unavailable'; message: string }
  | { kind: 'unknown'; message: string }

export type ReceiptLookUp =
  | IssuedReceipt
  | { kind: 'not_found' }
  | { kind: 'pending' | 'unavailable'; message: string }

export type FiscalDriver = {
  label: string
  /** Payments in other currencies need no receipt of this register. */
  currencies: readonly CurrencyCode[]
  /** The names of the settings that are secret. They are stored sealed and never shown. */
  secrets?: readonly string[]
  /** The register's name. A register gets one order at a time. Two accounts of one owner may share a register. */
  registerOf(settings: Record<string, unknown>): string
  /**
   * The register takes only the number that follows the last one that it took. Then an order that it has not taken leaves its numbers to
   * the next one, no number is skipped after a restore, and while it is unclear whether an order was taken, no other one is sent: its
   * number alone can tell. If the register says that a number is too low, the driver asks `nextNumber` for another one, and never prints
   * an order twice.
   */
  takesOnlyNext?: true
  /** The absolute addresses that the driver calls. Absent: it calls nobody. */
  addresses?(settings: Record<string, unknown>): string[]
  /** Makes a harmless request that shows whether the address and the certificate work, and whether the register is active. */
  check?(call: FiscalCall): Promise<Finding[]>
  issueReceipt(call: FiscalCall, order: ReceiptOrder): Promise<PrintResult>
  issueRefundReceipt(call: FiscalCall, order: RefundReceiptOrder): Promise<PrintResult>
  /**
   * Returns whether an order whose response was lost was printed. Absent where the register cannot tell. A person then decides.
   */
  lookUpReceipt?(call: FiscalCall, order: ReceiptOrder): Promise<ReceiptLookUp>
}

/** A route's fiscal driver with its settings. */
export type RouteFiscal = {
  driverName: string
  driver: FiscalDriver
  settings: Record<string, unknown>
  register: string
}
