/** `account test --pay`: makes a real order with test money, checks the driver's assumptions on it, and can record its requests. */
import type { Context } from '../context.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { counted } from '../messages/counted.ts'
import { parseTypedAmount } from '../payments/money.ts'
import { expectRecordable, type PayTestResult, testAccountByPaying } from '../proof/prove.ts'
import { expectEmpty, writeRecording } from '../recording/folder.ts'
import { VERSION } from '../version.ts'
import { ADMIN, type CommandTools, type Outcome } from './command.ts'
import { count, optional, optionalChoice, toggle } from './flag.ts'
import { paragraphs, plain } from './layout.ts'

const WAIT_MAX_MINUTES = 150
const WAIT = { max: WAIT_MAX_MINUTES, fallback: 15 }

export const PAY_FLAGS = {
  pay: toggle('also make a real order with test money, from opening to refund; you play the buyer (sandbox)'),
  amount: optional('1.00', 'with --pay: the amount of the order; default 1.00'),
  currency: optionalChoice('CUR', 'with --pay: its currency; default EUR', CURRENCY_CODES),
  wait: count('MINUTES', 'with --pay: how long to wait for the buyer', WAIT),
  save: toggle('with --pay: also save a card or wallet, charge it once, refund that, and remove it'),
  record: optional(
    'DIRECTORY',
    'with --pay: write the requests and answers to a new folder, without private data',
  ),
}

export const PAY_EXAMPLE = '--account acc_test_01... --pay --amount 2.00 --currency USD --record recorded'

type PayTestFlags = {
  pay: boolean
  amount: string | undefined
  currency: CurrencyCode | undefined
  wait: number
  save: boolean
  record: string | undefined
}

const REFUSED_IN_LIVE = `--pay and --record are refused in the live world, because they would take real money. Test the account's test credentials in the sandbox: ${ADMIN} --sandbox account list. To see whether the live account works, run account test without them.`

/** @throws AppError validation_failed in the live world; those of `testAccountByPaying`, `expectRecordable` and `expectEmpty` */
export async function payTest(
  ctx: Context,
  accountId: string,
  given: PayTestFlags,
  { print, untilStopped }: CommandTools,
): Promise<Outcome> {
  if (ctx.world !== 'sandbox') throw new AppError('validation_failed', { message: REFUSED_IN_LIVE })
  const currency = given.currency ?? 'EUR'
  if (given.record !== undefined) {
    await expectRecordable(ctx, accountId)
    await expectEmpty(given.record)
  }
  const result = await testAccountByPaying(ctx, accountId, {
    amountMinor: parseTypedAmount(given.amount ?? '1.00', currency),
    currency,
    saves: given.save,
    waitMs: given.wait * 60_000,
    signal: untilStopped(),
    report: (text, json) => print({ text: plain(text), json: { step: text, ...json } }),
  })
  const recorded = given.record === undefined ? null : await record(given.record, result)
  return outcomeOf(accountId, result, recorded)
}

/** @throws AppError validation_failed if flags are given that need --pay */
export function refuseWithoutPay({ pay, amount, currency, save, record: folder }: PayTestFlags): void {
  if (!pay && (amount !== undefined || currency !== undefined || save || folder !== undefined))
    throw new AppError('validation_failed', {
      message: '--amount, --currency, --save and --record are for a real order. Add --pay.',
    })
}

async function record(folder: string, { account, calls }: PayTestResult): Promise<string> {
  const { driverName, settings } = account
  const isSimulator = (account.driver.addresses?.(settings) ?? []).some((each) =>
    ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(each).hostname),
  )
  const files = await writeRecording(folder, {
    driver: driverName,
    version: VERSION,
    from: isSimulator ? 'simulator' : 'provider',
    steps: typeof settings.STEPS === 'string' ? settings.STEPS : null,
    calls,
  })
  return `Wrote ${counted(files, 'file')} to ${folder}. Nothing was sent to anybody. Read README.txt there first: it says what to look at before you hand the folder over.`
}

function outcomeOf(accountId: string, result: PayTestResult, recorded: string | null): Outcome {
  const { isComplete, assumptions, callback } = result
  const differing = assumptions.filter(({ verdict }) => verdict.kind === 'differs')
  const problem = !isComplete
    ? {
        code: 'test_incomplete',
        message: 'The test did not run to its end. The lines above say what happened.',
      }
    : differing.length > 0 && {
        code: 'assumption_differs',
        message: `${differing.length} of the driver's assumptions ${differing.length === 1 ? 'differs' : 'differ'}. Please tell the project, with the recording if you can.`,
      }
  return {
    json: {
      accountId,
      isComplete,
      callback,
      assumptions: assumptions.map(({ assumption: { id, sentence, page, readOn }, verdict }) => ({
        id,
        sentence,
        page,
        readOn,
        verdict: verdict.kind,
        ...(verdict.kind === 'differs' && { instead: verdict.instead }),
      })),
      recorded,
    },
    text: paragraphs(callbackText(result), assumptionsText(result), recorded && plain(recorded)),
    ...(problem && { problem }),
  }
}

function callbackText({ account, callback }: PayTestResult): string {
  if (!account.driver.inbound) return 'The protocol has no callbacks.'
  if (!callback)
    return 'No callback came. The service asks the provider by itself, so payments are only noticed later. If callbacks are set up, run account test without --pay: it says what is wrong with them.'
  const seconds = (ms: number) => (Math.abs(ms) / 1_000).toFixed(1)
  const { afterOpeningMs, afterSeenMs } = callback
  const compared =
    afterSeenMs === null
      ? ''
      : afterSeenMs < 0
        ? `, ${seconds(afterSeenMs)} s before the service saw the payment by asking`
        : `, ${seconds(afterSeenMs)} s after the service had seen the payment by asking`
  return `A callback came ${seconds(afterOpeningMs)} s after the order was opened${compared}.`
}

const VERDICT_LABELS = { seen: 'seen    ', not_seen: 'not seen', differs: 'DIFFERS ' }

function assumptionsText({ account, assumptions }: PayTestResult): string {
  if (assumptions.length === 0) return `The driver of ${account.driver.label} has no list of assumptions.`
  const lines = assumptions.flatMap(({ assumption: { sentence, how, page }, verdict }) => {
    const hint = verdict.kind === 'not_seen' ? ` (to see it: ${how})` : ''
    const line = `  ${VERDICT_LABELS[verdict.kind]}  ${sentence}${hint}`
    if (verdict.kind !== 'differs') return [line]
    return [line, `            Seen instead: ${plain(verdict.instead)}. The page on it: ${page}`]
  })
  return [`What the driver assumes of ${account.driver.label}:`, ...lines].join('\n')
}
