/** What is read about a case. */
import type { AccountView } from '../../accounts/manage.ts'
import type { ReceiverHealth } from '../../receivers/receiver.ts'
import type { PlacedCase } from '../../storage/desk/cases.ts'
import type { ReceiptRecord } from '../../storage/payments/receipts.ts'
import type { FindingRecord, OfStatement } from '../../storage/reports/findings.ts'
import type { RefundRefusal } from '../../storage/returns/refund-refusals.ts'
import type { OperationHistory } from '../operation-history.ts'
import type { Timeline } from '../payment-timeline.ts'

export type Evidence = {
  found: PlacedCase
  timeline: Timeline | null
  operation: OperationHistory | null
  receipt: ReceiptRecord | null
  finding: (FindingRecord & OfStatement) | null
  refusal: RefundRefusal | null
  account: AccountView | null
  receiver: ReceiverHealth | null
  /** Whether the payment's provider can be asked. */
  canAsk: boolean
}
