/** The install page's sentences, and the doctor's findings, in the page's language. */
import { DIAGNOSIS_EN, type Finding, type FindingKey, wordFinding } from '../../channels/doctor/words.ts'
import { FINDINGS_HY } from './install-findings-hy.ts'
import { FINDINGS_RU } from './install-findings-ru.ts'
import { INSTALL_EN, type InstallKey } from './install-messages-en.ts'
import { INSTALL_HY } from './install-messages-hy.ts'
import { INSTALL_RU } from './install-messages-ru.ts'
import type { Locale } from './locale.ts'

export const INSTALL_MESSAGES: Record<Locale, Record<InstallKey, string>> = {
  hy: INSTALL_HY,
  ru: INSTALL_RU,
  en: INSTALL_EN,
}
export const FINDINGS: Record<Locale, Record<FindingKey, string>> = {
  hy: FINDINGS_HY,
  ru: FINDINGS_RU,
  en: DIAGNOSIS_EN,
}

/** As `say` of the other pages. */
export function sayInstall(locale: Locale, key: InstallKey, values: Record<string, string> = {}): string {
  return INSTALL_MESSAGES[locale][key].replaceAll(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole)
}

export function sayFinding(locale: Locale, finding: Finding): string {
  return wordFinding(finding, FINDINGS[locale])
}
