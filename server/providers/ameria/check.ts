/** The checks of `account test`: whether the login works, and whether it is of test or of real money. Nothing is opened. */
import { type Finding, ok, problem, unknown } from '../driver/finding.ts'
import { type AmeriaCall, askAmeria, CODES, LoginRefusedError, SAVED_CARD } from './request.ts'
import { modeOf } from './settings.ts'

export async function check(call: AmeriaCall): Promise<Finding[]> {
  const { FIRST_NUMBER: first, LAST_NUMBER: last } = call.settings
  // Whether the bank knows this number does not matter.
  const { code } = await askAmeria(call, 'GetPaymentId', { OrderID: last })
  if (code === CODES.login) return [problem(new LoginRefusedError().message, { refusal: 'credentials' })]
  const isAccepted = code === CODES.done || code === CODES.noOrder
  return [
    isAccepted
      ? ok('The bank accepts the ClientID, the user name and the password.', { refusal: 'credentials' })
      : unknown(`The bank answers with code ${code}, so nobody knows whether it accepts the login.`),
    modeFinding(call),
    unknown(
      `The bank does not tell which order numbers it has allotted. This account uses ${first} to ${last}.`,
    ),
    ...(await checkBindings(call)),
    ...rightsFindings(call),
    ok('The bank sends no callbacks. Kassa asks it often while a payment is open, and daily for 90 days.'),
  ]
}

function modeFinding({ settings, account }: AmeriaCall): Finding {
  const mode = modeOf(settings)
  const world = account.live ? 'the live world' : 'the sandbox'
  if (mode === 'untellable')
    return unknown(`The address does not show whether it moves test money or real money. This is ${world}.`)
  return (mode === 'live') === account.live
    ? ok(`It is an address for ${mode === 'live' ? 'real' : 'test'} money, as ${world} needs it.`)
    : problem(`This is an address for ${mode === 'live' ? 'real' : 'test'} money in ${world}.`)
}

async function checkBindings(call: AmeriaCall): Promise<Finding[]> {
  if (call.settings.SAVED_METHODS !== 'enabled') return []
  const right = 'tokenization'
  const { code } = await askAmeria(call, 'GetBindings', { PaymentType: SAVED_CARD })
  if (code === CODES.done) return [ok('The bank allows this account to save cards.', { right })]
  if (code === CODES.login)
    return [problem('The bank does not allow this account to save cards: ask it for bindings.', { right })]
  return [unknown(`The bank answers about saved cards with code ${code}.`, { right })]
}

function rightsFindings({ settings }: AmeriaCall): Finding[] {
  const rights = { payment: 'open payments', refund: 'refund', void: 'cancel payments' } as const
  const names = Object.keys(rights) as (keyof typeof rights)[]
  const findings = names.map((right) =>
    unknown(`The bank does not tell whether this account may ${rights[right]}.`, { right }),
  )
  const capture = unknown('The bank does not tell whether this account takes payments in two steps.', {
    right: 'capture',
  })
  return settings.STEPS === 'two' ? [...findings, capture] : findings
}
