/** The fields of an account's settings: in the reader's words, with the driver's own names, which guides and refusals have. */
import { describeSettings } from '../../accounts/described.ts'
import { findMessage } from '../../messages/translate.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { Field, FieldValues } from '../acts/fields.ts'

const PREFIX = 's_'
const nameOf = (setting: string) => `${PREFIX}${setting}`

/** A driver has texts of its own where its setting means something else than the others'. */
const textOf = (locale: Locale, driver: string, key: string): string | undefined =>
  findMessage(locale, `settings.${driver}.${key}`) ?? findMessage(locale, `settings.${key}`)

export function settingLabel(locale: Locale, driver: string, name: string): string {
  const text = textOf(locale, driver, name)
  return text === undefined ? name : `${text} (${name})`
}

/** `value`: one of the setting's choices, or any text. */
export const settingValue = (locale: Locale, name: string, value: string): string =>
  findMessage(locale, `settings.choice.${name}.${value}`) ??
  findMessage(locale, `settings.choice.${value}`) ??
  value

/** `present`: the values that are no secret. `isNew`: nothing is stored yet, so what the driver requires is asked. */
export function driverFields(
  locale: Locale,
  driver: string,
  { present = {}, isNew }: { present?: Record<string, string> | undefined; isNew: boolean },
): Field[] {
  return describeSettings(driver).map(
    ({ name, help, isSecret, isRequired, choices }): Field => ({
      name: nameOf(name),
      label: { as: settingLabel(locale, driver, name) },
      hint: { as: textOf(locale, driver, `${name}.hint`) ?? help },
      isOptional: !(isNew && isRequired),
      isSeldom: !isRequired && !isSecret && present[name] === undefined,
      kind: isSecret ? 'secret' : choices ? 'choice' : 'text',
      ...(choices && { options: choices.map((each) => [each, settingValue(locale, name, each)] as const) }),
      ...(present[name] !== undefined && { value: present[name] }),
    }),
  )
}

/** The settings that were filled in. */
export const writtenIn = (given: FieldValues): FieldValues =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) =>
      name.startsWith(PREFIX) && text !== '' ? [[name.slice(PREFIX.length), text] as const] : [],
    ),
  )

/** `present`: the values that are no secret. */
export const isNothingNew = (given: FieldValues, present: Record<string, string>): boolean =>
  Object.entries(writtenIn(given)).every(([name, text]) => text === present[name])

/** A refusal begins with the setting that is wrong. */
export function settingIn(message: string): string | undefined {
  const name = /^([A-Z][A-Z0-9_]*)[ :]/.exec(message)?.[1]
  return name && nameOf(name)
}
