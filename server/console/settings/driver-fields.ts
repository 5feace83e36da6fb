/** The fields of an account's settings, by the driver's own names. */
import { describeSettings } from '../../accounts/described.ts'
import type { ChangeLine, Given } from './act.ts'
import type { Field } from './fields.ts'

const nameOf = (setting: string) => `s_${setting}`

/** `present`: the values that are no secret. `isNew`: nothing is stored yet, so what the driver requires is asked. */
export function driverFields(
  driver: string,
  { present = {}, isNew }: { present?: Record<string, string>; isNew: boolean },
): Field[] {
  return describeSettings(driver).map(
    ({ name, help, isSecret, isRequired, choices }): Field => ({
      name: nameOf(name),
      label: { as: name },
      hint: { as: help },
      isOptional: !(isNew && isRequired),
      kind: isSecret ? 'secret' : choices ? 'choice' : 'text',
      ...(choices && { options: choices.map((each) => [each, each] as const) }),
      ...(present[name] !== undefined && { value: present[name] }),
    }),
  )
}

/** What was filled in, and differs from what is there. */
export function writtenOf(driver: string, given: Given, present: Record<string, string> = {}): Given {
  const written = describeSettings(driver).flatMap(({ name }) => {
    const text = given[nameOf(name)] ?? ''
    return text === '' || text === present[name] ? [] : [[name, text] as const]
  })
  return Object.fromEntries(written)
}

/** A secret has no value that anybody sees. */
export function driverLines(
  driver: string,
  written: Given,
  present: Record<string, string> = {},
): ChangeLine[] {
  const secrets = describeSettings(driver).filter(({ isSecret }) => isSecret)
  return Object.entries(written).map(([name, text]) => {
    const isSecret = secrets.some((each) => each.name === name)
    return [{ as: name }, present[name] ?? (isSecret ? '•••' : null), isSecret ? '••••••' : text]
  })
}

/** A refusal begins with the setting that is wrong. */
export function settingIn(message: string): string | undefined {
  const name = /^([A-Z][A-Z0-9_]*)[ :]/.exec(message)?.[1]
  return name && nameOf(name)
}
