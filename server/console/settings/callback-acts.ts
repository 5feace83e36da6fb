/** The check of what receives the events of a shop. */
import type { Context } from '../../context.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { adviceNameOf } from '../../receivers/advice.ts'
import { type CheckLine, isRefusal, verifyCallback } from '../../receivers/check.ts'
import { ORDER_BOOK_URL, withoutQuery } from '../../receivers/receiver.ts'
import { findLatestCallbackCheck } from '../../storage/events/callback-checks.ts'
import { say } from '../words/say.ts'
import { type Scene, type SettingAct, setting } from './act.ts'

type Present = { url: string | null }

const present = async ({ ctx, about }: Scene): Promise<Present> => ({
  url: (await getMerchant(ctx, about)).callbackUrl,
})

/** An address may carry a secret in its query. */
export const receiverText = ({ visit: { locale } }: Scene, url: string | null) =>
  url === null ? null : url === ORDER_BOOK_URL ? say(locale, 'setOrderBook') : withoutQuery(url)

const verify = setting<Present & { latest: string | null }>({
  name: 'callback_verify',
  needs: 'callback verify',
  place: 'shop',
  group: 'setEvents',
  async present(scene) {
    const { url } = await present(scene)
    const latest = url === null ? null : await findLatestCallbackCheck(scene.ctx.db, scene.about, url)
    return { url, latest: latest?.id ?? null }
  },
  whyNot: ({ url }) => (url === null ? 'setCallbackNone' : url === ORDER_BOOK_URL ? 'setVerifyBook' : null),
  changes: (_given, { url }, scene) => [['callbackUrl', receiverText(scene, url), receiverText(scene, url)]],
  rehearse: 'no',
  run: (ctx, _given, scene) => verified(ctx, scene),
})

async function verified(ctx: Context, { about, visit: { locale } }: Scene) {
  const { accepted, checks, failure } = await verifyCallback(ctx, about)
  return {
    ...({ message: accepted ? 'setVerified' : 'setNotVerified', isBad: !accepted } as const),
    lines: [
      ...checks.map(
        (line) =>
          [
            `check_${line.name}`,
            [line.passed ? '✓' : '✗', line.statusCode, checkAdvice(locale, line, failure)]
              .filter(Boolean)
              .join(' '),
          ] as const,
      ),
      ['saidReason', failure] as const,
    ],
  }
}

/** What to do about a check that did not pass, in the reader's language. */
function checkAdvice(
  locale: Locale,
  { name, passed, skipped, statusCode }: CheckLine,
  failure: string | null,
): string | null {
  if (passed) return null
  if (skipped) return say(locale, failure === null ? 'check_skipped' : 'check_skippedUnanswered')
  if (name === 'accepts_duplicate') return say(locale, 'check_duplicateAdvice')
  if (isRefusal(name)) {
    const response =
      statusCode === null
        ? say(locale, 'check_noResponse')
        : say(locale, 'check_responds', { status: String(statusCode) })
    return `${response} ${say(locale, `check_to_${name}`)}`
  }
  const advice = adviceNameOf({ statusCode, failure })
  return say(locale, advice === null ? 'check_slow' : `advice_${advice}`)
}

export const CALLBACK_ACTS: readonly SettingAct[] = [verify]
