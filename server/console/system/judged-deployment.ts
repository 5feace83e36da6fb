/** Findings about the whole deployment, in the words of the page. The limits are those of the examination. */
import {
  type Examination,
  isBackupOld,
  isClockOff,
  isDiskFull,
  isGuessing,
  type MachineFacts,
  type PasskeyFacts,
} from '../../operator/examination.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { ageText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { row, type SystemFinding } from './finding.ts'

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
      is: blockers.length > 0 && 'bad',
      about: 'sys_database',
      todo: 'do_database',
      text: blockers.length > 0 ? blockers.join('; ') : translate(locale, 'databaseAnswers'),
    }),
    row(locale, {
      is: isClockOff(facts) && 'bad',
      about: 'sys_clock',
      todo: 'do_clock',
      text: translate(locale, 'clockOff', { seconds: offset }),
    }),
    row(locale, {
      is: isBackupOld(facts) && 'open',
      about: 'sys_backup',
      todo: 'do_backup',
      text:
        backupAgeSeconds === null
          ? translate(locale, 'backupNone')
          : translate(locale, 'backupAge', { age: ageText(backupAgeSeconds, locale) }),
    }),
    ...(free === null
      ? []
      : [
          row(locale, {
            is: isDiskFull(facts) && 'bad',
            about: 'sys_disk',
            todo: 'do_disk',
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

/** The console's address was changed. `href`: the page that gives new links; absent for people who may not. */
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
      is: isShut ? 'bad' : 'open',
      about: 'ownPasskeys',
      todo: isShut ? 'do_shutOut' : 'do_passkeys',
      text: lines.filter((line) => line !== null).join(' '),
      ...(href !== undefined && { href }),
    }),
  ]
}
