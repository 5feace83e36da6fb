/** Findings about one world or one shop, in the words of the page. The limits are those of the examination. */
import {
  areEventsLate,
  areQuestionsLate,
  countLate,
  isAccountBad,
  type WorldExamination,
} from '../../operator/examination.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { countText } from '../desk/list.ts'
import { ageText, limitsText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { row, type SystemFinding } from './finding.ts'

type Given = {
  examined: WorldExamination
  cases: readonly { count: number }[]
  nameOf(merchantId: string): string
}

export function judgeWorld(locale: Locale, given: Given): SystemFinding[] {
  const { examined, cases } = given
  return [...judgeWork(locale, examined), ...judgeOpen(locale, examined, cases), ...judgeParts(locale, given)]
}

/** What one shop may see: its cases, its accounts and its receiver. */
export function judgeShop(locale: Locale, own: string, { examined, cases, nameOf }: Given): SystemFinding[] {
  const accounts = examined.accounts.filter(({ owner }) => owner === own)
  const receivers = examined.receivers.filter(({ merchantId }) => merchantId === own)
  const cut = { ...examined, accounts, receivers, silent: [] }
  return [judgeDesk(locale, examined.world, cases), ...judgeParts(locale, { examined: cut, cases, nameOf })]
}

function judgeParts(locale: Locale, { examined, nameOf }: Given): SystemFinding[] {
  return [
    ...examined.accounts.map((account): SystemFinding => {
      const { accountId, route, problem, health } = account
      return {
        state: isAccountBad(account) ? 'bad' : 'open',
        about: `${translate(locale, 'sys_account')} ${route}`,
        text: translate(locale, `health_${problem === null ? health.state : 'refusing'}`),
        todo: translate(locale, 'advice_test_account'),
        href: `/${examined.world}/accounts/${accountId}`,
      }
    }),
    ...examined.silent.map(({ accountId, requests }): SystemFinding => {
      // A cash register is asked under its own name, and has no page.
      const isRegister = accountId.startsWith('register ')
      return {
        state: 'bad',
        about: translate(locale, isRegister ? 'register' : 'sys_account'),
        text: translate(locale, 'isSilent', { count: requests }),
        todo: translate(locale, isRegister ? 'do_register' : 'do_silent'),
        href: isRegister ? undefined : `/${examined.world}/accounts/${accountId}`,
      }
    }),
    ...examined.receivers.map(
      ({ merchantId, failures, pausedAt }): SystemFinding => ({
        state: 'open',
        about: nameOf(merchantId),
        text: translate(locale, pausedAt ? 'receiverPaused' : 'receiverRests', { count: failures }),
        todo: translate(locale, 'do_receiver'),
        href: `/${examined.world}/shops/${merchantId}/events`,
      }),
    ),
  ]
}

function judgeWork(locale: Locale, examined: WorldExamination): SystemFinding[] {
  const { work } = examined
  const late = Object.entries(countLate(examined)).filter(([, count]) => count > 0)
  const names = late.map(([name, count]) => `${translateAny(locale, `late_${name}` as ConsoleKey)}: ${count}`)
  const age = ageText(work.oldestUndeliveredSeconds, locale)
  const count = String(work.undeliveredEvents)
  return [
    row(locale, {
      is: late.length > 0 && 'bad',
      about: 'sys_worker',
      todo: 'do_worker',
      text: late.length > 0 ? names.join(', ') : translate(locale, 'nothingLate'),
    }),
    row(locale, {
      is: areQuestionsLate(examined) && 'open',
      about: 'sys_questions',
      todo: 'do_questions',
      text: areQuestionsLate(examined)
        ? translate(locale, 'questionsLate', { age: ageText(work.oldestSettledQuestionSeconds, locale) })
        : translate(locale, 'nothingLate'),
    }),
    row(locale, {
      is: areEventsLate(examined) && 'bad',
      about: 'eventsWaiting',
      todo: 'do_events',
      text: work.undeliveredEvents === 0 ? count : translate(locale, 'eventsOldest', { count, age }),
    }),
  ]
}

function judgeDesk(locale: Locale, world: string, cases: Given['cases']): SystemFinding {
  const waiting = cases.reduce((sum, { count }) => sum + count, 0)
  return row(locale, {
    is: waiting > 0 && 'open',
    about: 'deskTitle',
    todo: 'do_desk',
    href: `/${world}/desk`,
    text:
      waiting > 0 ? `${countText(waiting)} ${translate(locale, 'casesOpen')}` : translate(locale, 'deskNone'),
  })
}

function judgeOpen(
  locale: Locale,
  { work, mails, world, unlimitedTokens, limits }: WorldExamination,
  cases: readonly { count: number }[],
): SystemFinding[] {
  return [
    judgeDesk(locale, world, cases),
    ...(work.openRestores > 0
      ? [
          row(locale, {
            is: 'open',
            about: 'cases.restore',
            todo: 'do_restore',
            text: translate(locale, 'restoreWaits', { count: String(work.waitingRestoreChecks) }),
          }),
        ]
      : []),
    ...(unlimitedTokens > 0
      ? [
          row(locale, {
            is: 'open',
            about: 'setTokens',
            todo: 'do_tokens',
            text: translate(locale, 'tokensUnlimited', { count: String(unlimitedTokens) }),
          }),
        ]
      : []),
    ...(limits && limits.open.length > 0
      ? [
          row(locale, {
            is: 'open',
            about: 'setLimits',
            todo: limits.canSet ? 'do_limits' : 'do_limitsPerson',
            href: `/${world}/${limits.canSet ? 'settings/approval-limit' : 'users/new'}`,
            text: translate(locale, 'limitsNone', { limits: limitsText(locale, limits.open) }),
          }),
        ]
      : []),
    ...(mails.failed > 0
      ? [
          row(locale, {
            is: 'open',
            about: 'sys_mails',
            todo: 'do_mails',
            text: translate(locale, 'mailsFailed', { count: String(mails.failed) }),
          }),
        ]
      : []),
  ]
}
