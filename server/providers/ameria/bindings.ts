/**
 * Saved cards. The bank makes a binding of a real payment that names a card holder, and charges it by that name. Each saving has a name of
 * its own, so the name's only binding is the card.
 * Rule: that the bank accepts a charge is no proof. The payment's details are.
 */
import { savedCardOf } from '../arca/card.ts'
import { SESSION_MS } from '../arca/order.ts'
import { beforeReturn, moneyOf, outcomeOfCharge, statusOfSaving } from '../arca/saving.ts'
import { UnreadableError } from '../driver/refusal.ts'
import type { ChargeResult, Driver, SavingResult, TokenLookUp, WriteResult } from '../driver.ts'
import { askUnopened, findId, findKnown, lookUpOrder } from './checkout.ts'
import { initialise, orderIn } from './opening.ts'
import { type OrderState, stateOf } from './order.ts'
import { type AmeriaAnswer, type AmeriaCall, askAmeria, CODES, refuseRight, SAVED_CARD } from './request.ts'
import type { AmeriaSettings } from './settings.ts'
import { timeIn } from './snapshot.ts'
import { Bindings, Charged } from './wire.ts'
import { send } from './writes.ts'

const NOT_ALLOWED = 'The bank has not allowed this account to save and charge cards (code 20).'

export const bindingMembers = {
  savingPrice: ({ SAVING_AMOUNT: amountMinor, SAVING_CURRENCY: currency }) => ({ amountMinor, currency }),

  async saveToken(call, saving): Promise<SavingResult> {
    const { SAVING_AMOUNT: amountMinor, SAVING_CURRENCY: currency, SESSION_SECONDS: seconds } = call.settings
    const { reference: orderReference, paymentReference: holder } = saving
    const price = saving.price ?? { amountMinor, currency }
    // The bank would write this saving over the payment that it has, whose buyer may be on its page.
    if (saving.mayBeHandedOut && (await findId(call, orderReference)) !== null)
      return { kind: 'unknown', message: 'the bank has a payment with this order number already' }
    // A repetition is the same, so it gets the same payment.
    const order = { ...saving, ...price, orderReference, description: null }
    return initialise(call, order, { seconds, holder })
  },

  async lookUpToken(call, token): Promise<TokenLookUp> {
    const stored = stateOf(token.state)
    const found = stored ?? (await findKnown(call, token))
    if (found === null) return { kind: 'not_found' }
    const holder = found.holder ?? token.paymentReference
    const known: OrderState = { ...found, ...(holder !== undefined && { holder }) }
    const seen = await lookUpOrder(call, token, known)
    if (seen === null) {
      const answer = await askUnopened(call, token, known, stored !== null)
      if (answer.kind !== 'unpaid') return answer.kind === 'found' ? { kind: 'not_found' } : answer
      return { kind: 'found', status: answer.order === 'expired' ? 'expired' : 'pending', state: known }
    }
    const { details, state, snapshot } = seen
    const money = moneyOf(snapshot, known.id)
    if (!money) return { kind: 'found', status: statusOfSaving(snapshot), state }
    const binding = await findBinding(call, holder)
    if (!binding && isFreshlyPaid(call, details.DateTime, known))
      return { kind: 'found', status: 'pending', state, money }
    if (!binding) return { kind: 'found', status: known.isBound ? 'revoked' : 'cancelled', state, money }
    const card = savedCardOf(binding.CardPan, binding.ExpDate)
    return {
      kind: 'found',
      status: 'active',
      state: { ...state, isBound: true } satisfies OrderState,
      ...(card && { card }),
      money,
    }
  },

  async finishSaving(call, { before: saved, reference, state }): Promise<WriteResult> {
    const before = beforeReturn(saved)
    const order = { reference, state }
    if (saved.heldMinor > 0) return send(call, 'CancelPayment', { order, before, amountMinor: null })
    return send(call, 'RefundPayment', {
      order,
      before,
      amountMinor: saved.takenMinor - saved.returnedMinor,
    })
  },

  async revokeToken(call, token): Promise<WriteResult> {
    // The payment may have been made since the last question, so the bank is told also of a card that it has not shown yet.
    const holder = stateOf(token.state)?.holder ?? token.paymentReference
    if (holder === undefined) return { kind: 'unknown', message: 'nobody knows the name of the saved card' }
    const { code } = await askAmeria(call, 'DeactivateBinding', {
      CardHolderID: holder,
      PaymentType: SAVED_CARD,
    })
    if (code === CODES.login) await refuseRight(call, NOT_ALLOWED)
    if (code === CODES.done || !(await findBinding(call, holder))) return { kind: 'done' }
    return { kind: 'unknown', message: `the bank answered with code ${code}` }
  },

  async chargeToken(call, { token, ...charge }): Promise<ChargeResult> {
    const { holder, isBound } = stateOf(token.state) ?? {}
    if (holder === undefined || !isBound)
      return { kind: 'refused', message: 'no card is saved', decline: 'hard' }
    const answer = await askAmeria(call, 'MakeBindingPayment', {
      ...orderIn(charge),
      CardHolderID: holder,
      PaymentType: SAVED_CARD,
    })
    return resultOf(call, answer, { ...charge, holder })
  },
} satisfies Pick<
  Driver<AmeriaSettings>,
  'saveToken' | 'savingPrice' | 'lookUpToken' | 'finishSaving' | 'revokeToken' | 'chargeToken'
>

async function findBinding(call: AmeriaCall, holder: string | undefined) {
  const { code, body } = await askAmeria(call, 'GetBindings', { PaymentType: SAVED_CARD })
  if (code === CODES.login) await refuseRight(call, NOT_ALLOWED)
  if (code !== CODES.done) throw new Error(`the bank answered about saved cards with code ${code}`)
  const own = Bindings.parse(body).CardBindingFileds.filter((each) => each.CardHolderID === holder)
  if (own.some(({ IsAvtive: isActive }) => isActive === undefined))
    throw new UnreadableError('the bank does not say whether it still keeps a saved card')
  return own.find((each) => each.IsAvtive === true)
}

/** The bank may list a card a little later than it shows the payment. */
const LISTED_WITHIN_MS = 5 * 60_000

function isFreshlyPaid(
  { now }: AmeriaCall,
  paidAt: string | undefined,
  { isBound, until }: OrderState,
): boolean {
  const latest = timeIn(paidAt)?.getTime() ?? Date.parse(until ?? '')
  return !isBound && now().getTime() < latest + LISTED_WITHIN_MS
}

/** After these codes nothing was charged. A number that was used may be that of an earlier charge. */
const REFUSED: readonly string[] = [
  CODES.currency,
  CODES.missing,
  CODES.wrong,
  CODES.parameters,
  CODES.opaque,
  CODES.amount,
]

const REMOVED: ChargeResult = {
  kind: 'refused',
  message: 'the card is not saved at the bank any more',
  decline: 'hard',
}

/** The bank has no payment of the charge's number: this is why, if the card is gone. */
const isRemoved = (call: AmeriaCall, { holder }: Charge): Promise<boolean> =>
  findBinding(call, holder).then(
    (binding) => binding === undefined,
    () => false,
  )

type Charge = { reference: string; paymentReference: string; holder: string }

/** The answer does not prove whether the bank of the card has paid, so the payment is asked about. */
async function resultOf(
  call: AmeriaCall,
  { code, body }: AmeriaAnswer,
  charge: Charge,
): Promise<ChargeResult> {
  if (code === CODES.login) await refuseRight(call, NOT_ALLOWED)
  if (REFUSED.includes(code))
    return { kind: 'refused', message: `the bank refuses the charge (code ${code})`, decline: 'soft' }
  const { PaymentID: paymentId, AcsUrl: confirmAt } = Charged.safeParse(body).data ?? {}
  const unknown = { kind: 'unknown', message: `the bank answered with code ${code}` } as const
  // A question that fails, whyever, says nothing about the charge.
  const id = paymentId ?? (await findId(call, charge.reference).catch(() => undefined))
  if (id === undefined) return unknown
  if (id === null) return (await isRemoved(call, charge)) ? REMOVED : unknown
  const until = new Date(call.now().getTime() + SESSION_MS).toISOString()
  const state: OrderState = { id, opaque: charge.paymentReference, steps: 'one', until, isCharge: true }
  if (confirmAt !== undefined)
    return { kind: 'refused', message: 'the bank wants the buyer to confirm it', decline: 'soft', state }
  const { reference, paymentReference } = charge
  const seen = await lookUpOrder(call, { reference, state, paymentReference }, state).catch(() => null)
  const outcome = seen && outcomeOfCharge(seen.snapshot, seen.state)
  if (outcome) return outcome
  if (code === CODES.done) return { kind: 'pending', state }
  return { ...unknown, state }
}
