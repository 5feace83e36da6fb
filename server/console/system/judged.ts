/** What an examination has found, in words with what to do. The limits are those of the examination. */
import {
  areEventsLate,
  areQuestionsLate,
  countLate,
  type Examination,
  isAccountBad,
  isBackupOld,
  isClockOff,
  isDiskFull,
  isGuessing,
  type MachineFacts,
  type PasskeyFacts,
  type WorldExamination,
} from '../../operator/examination.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { countText } from '../desk/list.ts'
import { ageText, limitsText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'

/** `bad`: needs somebody now. `open`: can wait. `href`: where it is seen or mended. */
export type SystemFinding = {
  state: 'good' | 'open' | 'bad'
  about: string
  text: string
  todo?: string | undefined
  href?: string | undefined
}
type Row = {
  is: 'open' | 'bad' | false
  about: ConsoleKey | 'cases.restore'
  text: string
  todo: ConsoleKey
  href?: string
}

const row = (locale: Locale, { is, about, text, todo, href }: Row): SystemFinding => ({
  state: is || 'good',
  about: translateAny(locale, about),
  text,
  todo: is ? translateAny(locale, todo) : undefined,
  href,
})

export function judgeMachine(
  locale: Locale,
  facts: MachineFacts,
  blockers: readonly string[],
): SystemFinding[] {
  const { clockOffsetSeconds, backupAgeSeconds, freeBytes } = facts
  const offset = Math.round(clockOffsetSeconds)
  const free = freeBytes === null ? null : (freeBytes / 1e9).toFixed(1)
  return [
    row(locale, {
      ...{ is: blockers.length > 0 && 'bad', about: 'sys_database', todo: 'do_database' },
      text: blockers.length > 0 ? blockers.join('; ') : translate(locale, 'databaseAnswers'),
    }),
    row(locale, {
      ...{ is: isClockOff(facts) && 'bad', about: 'sys_clock', todo: 'do_clock' },
      text: translate(locale, 'clockOff', { seconds: offset }),
    }),
    row(locale, {
      ...{ is: isBackupOld(facts) && 'open', about: 'sys_backup', todo: 'do_backup' },
      text:
        backupAgeSeconds === null
          ? translate(locale, 'backupNone')
          : translate(locale, 'backupAge', { age: ageText(backupAgeSeconds, locale) }),
    }),
    ...(free === null
      ? []
      : [
          row(locale, {
            ...{ is: isDiskFull(facts) && 'bad', about: 'sys_disk', todo: 'do_disk' },
            text: translate(locale, 'diskFree', { free }),
          }),
        ]),
  ]
}

/** Passwords that were tried for unknown addresses. Shown only if there were any. */
export function judgeSignIns(locale: Locale, signIns: Examination['unknownSignIns']): SystemFinding[] {
  const { tries, networks } = signIns
  if (tries === 0) return []
  const text = translate(locale, 'unknownSignIns', { tries: String(tries), networks: String(networks) })
  return [row(locale, { is: isGuessing(signIns) && 'open', about: 'sys_signIns', todo: 'do_signIns', text })]
}

/** The console's address was changed. `href`: where somebody gives new links; absent for whoever may not. */
export function judgePasskeys(
  locale: Locale,
  { origin, hosts, shutOut, shutOutCount }: PasskeyFacts,
  href: string | undefined,
): SystemFinding[] {
  if (hosts.length === 0) return []
  const made = hosts.map(({ host, passkeys }) => `${host} (${passkeys})`).join(', ')
  const names = shutOut.join(', ') + (shutOutCount > shutOut.length ? ', …' : '')
  const isShut = shutOutCount > 0
  const lines = [
    translate(locale, 'passkeysElsewhere', { hosts: made, origin }),
    isShut ? translate(locale, 'passkeysShutOut', { names }) : null,
  ]
  return [
    row(locale, {
      ...{ is: isShut ? 'bad' : 'open', about: 'ownPasskeys', todo: isShut ? 'do_shutOut' : 'do_passkeys' },
      text: lines.filter((line) => line !== null).join(' '),
      ...(href !== undefined && { href }),
    }),
  ]
}

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
      ...{ is: late.length > 0 && 'bad', about: 'sys_worker', todo: 'do_worker' },
      text: late.length > 0 ? names.join(', ') : translate(locale, 'nothingLate'),
    }),
    row(locale, {
      ...{ is: areQuestionsLate(examined) && 'open', about: 'sys_questions', todo: 'do_questions' },
      text: areQuestionsLate(examined)
        ? translate(locale, 'questionsLate', { age: ageText(work.oldestSettledQuestionSeconds, locale) })
        : translate(locale, 'nothingLate'),
    }),
    row(locale, {
      ...{ is: areEventsLate(examined) && 'bad', about: 'eventsWaiting', todo: 'do_events' },
      text: work.undeliveredEvents === 0 ? count : translate(locale, 'eventsOldest', { count, age }),
    }),
  ]
}

function judgeDesk(locale: Locale, world: string, cases: Given['cases']): SystemFinding {
  const waiting = cases.reduce((sum, { count }) => sum + count, 0)
  return row(locale, {
    ...{ is: waiting > 0 && 'open', about: 'deskTitle', todo: 'do_desk', href: `/${world}/desk` },
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
            ...{ is: 'open', about: 'setTokens', todo: 'do_tokens' },
            text: translate(locale, 'tokensUnlimited', { count: String(unlimitedTokens) }),
          }),
        ]
      : []),
    ...(limits && limits.open.length > 0
      ? [
          row(locale, {
            ...{ is: 'open', about: 'setLimits', todo: limits.canSet ? 'do_limits' : 'do_limitsPerson' },
            ...{ href: `/${world}/${limits.canSet ? 'settings/approval-limit' : 'users/new'}` },
            text: translate(locale, 'limitsNone', { limits: limitsText(locale, limits.open) }),
          }),
        ]
      : []),
    ...(mails.failed > 0
      ? [
          row(locale, {
            ...{ is: 'open', about: 'sys_mails', todo: 'do_mails' },
            text: translate(locale, 'mailsFailed', { count: String(mails.failed) }),
          }),
        ]
      : []),
  ]
}
