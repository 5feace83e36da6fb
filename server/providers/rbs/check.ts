/** The checks of `account test`: whether the logins work, and whether they are of test or of real money. Nothing is registered. */
import { type Finding, ok, problem, unknown } from '../driver/finding.ts'
import { askRbs, CODES, LoginRefusedError, NOBODYS_ORDER, type RbsCall } from './request.ts'
import { modeOf } from './settings.ts'

export async function check(call: RbsCall, { callbackUrl }: { callbackUrl: string }): Promise<Finding[]> {
  const { code } = await askRbs(call, 'getOrderStatusExtended.do', { orderNumber: NOBODYS_ORDER })
  if (code === CODES.denied)
    return [
      problem(
        `${new LoginRefusedError().message} Sign in to the page of the bank with each login once, and change every password: otherwise the bank blocks the account.`,
        { refusal: 'credentials' },
      ),
    ]
  const isKnown = code === CODES.noOrder
  return [
    isKnown
      ? ok(`The bank accepts the login ${call.settings.USERNAME}.`, { refusal: 'credentials' })
      : unknown(`The bank answers with code ${code}, so nobody knows whether it accepts the login.`),
    modeFinding(call),
    ...(await checkBindings(call)),
    ...rightsFindings(call),
    unknown(
      'The bank does not tell which version of getOrderStatusExtended this login has. Ask for version 03: without it Kassa offers no refunds and no captures, because the answers show no amounts.',
    ),
    callbackFinding(call, callbackUrl),
  ]
}

function modeFinding({ settings, account }: RbsCall): Finding {
  const mode = modeOf(settings)
  const world = account.live ? 'the live world' : 'the sandbox'
  if (mode === 'untellable')
    return unknown(`The address does not show whether it moves test money or real money. This is ${world}.`)
  return (mode === 'live') === account.live
    ? ok(`It is an address for ${mode === 'live' ? 'real' : 'test'} money, as ${world} needs it.`)
    : problem(`This is an address for ${mode === 'live' ? 'real' : 'test'} money in ${world}.`)
}

async function checkBindings(call: RbsCall): Promise<Finding[]> {
  if (call.settings.SAVED_METHODS !== 'enabled') return []
  const right = 'tokenization'
  const { code } = await askRbs(call, 'getBindings.do', { clientId: NOBODYS_ORDER })
  if (code === CODES.done || code === CODES.notFound)
    return [ok('The bank accepts the login for saved cards.', { right })]
  if (code === CODES.denied)
    return [
      problem(
        'The bank refuses the login for saved cards: it is wrong, its password has to be changed at the bank first, or bindings are not allowed.',
        { right },
      ),
    ]
  return [unknown(`The bank answers about saved cards with code ${code}.`, { right })]
}

const RIGHTS = { payment: 'register orders', refund: 'refund', void: 'reverse payments' } as const

function rightsFindings({ settings }: RbsCall): Finding[] {
  const names = Object.keys(RIGHTS) as (keyof typeof RIGHTS)[]
  const findings = names.map((right) =>
    unknown(`The bank does not tell whether this login may ${RIGHTS[right]}.`, { right }),
  )
  const capture = unknown('The bank does not tell whether this login may take payments in two steps.', {
    right: 'capture',
  })
  return settings.STEPS === 'two' ? [...findings, capture] : findings
}

function callbackFinding({ settings }: RbsCall, callbackUrl: string): Finding {
  if (settings.GATEWAY === 'arca')
    return ok(
      "ArCa's gateway sends no callbacks. Kassa asks it often while a payment is open, and daily for 90 days.",
    )
  return settings.CALLBACK_KEY === undefined && settings.CALLBACK_CERTIFICATE === undefined
    ? unknown(
        `No key for callbacks is set, so Kassa asks the bank instead. If the bank offers callbacks with checksums, let it send them to ${callbackUrl}.`,
      )
    : unknown(`The bank does not tell where it sends callbacks. They have to arrive at ${callbackUrl}.`)
}
