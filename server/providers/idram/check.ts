/** What `account test` says about an account at Idram. Idram has no API, so nothing is asked: these are the things to look at. */
import { type Finding, ok, problem, unknown } from '../driver/finding.ts'
import { type IdramSettings, modeOf } from './settings.ts'

type Addresses = { callbackUrl: string; returnUrl?: string | null }

/** What only this machine or its network can reach. */
const INSIDE =
  /^(localhost|.*\.(localhost|local|internal|test|example|invalid)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[.*\])$/

export async function check(
  { settings, account }: { settings: IdramSettings; account: { live: boolean } },
  given: Addresses,
): Promise<Finding[]> {
  return [
    unknown(
      'Idram has no API. Nobody can ask whether REC_ACCOUNT and SECRET_KEY are right: the first payment shows it. If the key is wrong, Idram gives the money back each time, and the log says "the checksum is wrong".',
      { right: 'payment' },
    ),
    modeFinding(settings, account.live),
    ...addressFindings(settings, given),
    settings.CALLERS === undefined
      ? unknown(
          'CALLERS is not set, so the limits for strangers hold for Idram too. Ask Idram from which addresses it calls.',
        )
      : ok('Nothing limits how often the addresses in CALLERS call.'),
    unknown(
      'Idram tells of no refund. Return money in the merchant cabinet of Idram, and then note it with `payment returned`.',
      { right: 'refund' },
    ),
  ]
}

function modeFinding(settings: IdramSettings, isLive: boolean): Finding {
  const world = isLive ? 'the live world' : 'the sandbox'
  if (modeOf(settings) === 'test')
    return ok(`The form goes to a simulator on this machine. This is ${world}.`)
  return unknown(
    `Test accounts and live accounts of Idram have the same address. This is ${world}: make sure that the IdramID is ${isLive ? 'a live one' : 'one for tests'}.`,
  )
}

function addressFindings(settings: IdramSettings, { callbackUrl, returnUrl }: Addresses): Finding[] {
  const { protocol, hostname } = new URL(callbackUrl)
  if (modeOf(settings) !== 'test' && (protocol !== 'https:' || INSIDE.test(hostname)))
    return [
      problem(
        `Idram cannot call ${callbackUrl}. Set BASE_URL to a public https address first, because Idram's staff write it into their system.`,
      ),
    ]
  return [
    unknown(
      `Idram's staff have to set RESULT_URL to ${callbackUrl}. It stays the same as long as the IdramID does.`,
    ),
    unknown(
      `They have to set both SUCCESS_URL and FAIL_URL to ${returnUrl ?? 'the return address of the account'}.`,
    ),
  ]
}
