/** The fields of an account's settings, by the driver's own names. */
import { describeSettings } from '../../accounts/described.ts'
import type { Field, FieldValues } from './fields.ts'

const PREFIX = 's_'
const nameOf = (setting: string) => `${PREFIX}${setting}`

/** `present`: the values that are no secret. `isNew`: nothing is stored yet, so what the driver requires is asked. */
export function driverFields(
  driver: string,
  { present = {}, isNew }: { present?: Record<string, string> | undefined; isNew: boolean },
): Field[] {
  return describeSettings(driver).map(
    ({ name, help, isSecret, isRequired, choices }): Field => ({
      name: nameOf(name),
      label: { as: name },
      hint: { as: help },
      isOptional: !(isNew && isRequired),
      isSeldom: !isRequired && !isSecret && present[name] === undefined,
      kind: isSecret ? 'secret' : choices ? 'choice' : 'text',
      ...(choices && { options: choices.map((each) => [each, each] as const) }),
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
