/** A finding of the installation doctor. The command line and the install page say it, each in its language. */
import type { Language } from '../../contract/languages.ts'
import { type Arguments, type MessageKey, translateAny, type Values } from '../../messages/translate.ts'

type KeyIn<Key> = Key extends `findings.${infer Own}` ? Own : never
export type FindingKey = KeyIn<MessageKey>
/** `bad` stops the button, `note` does not. */
export type Finding = { weight: 'good' | 'bad' | 'note'; key: FindingKey; values: Values }

function finding(weight: Finding['weight']) {
  function found<Key extends FindingKey>(key: Key, ...values: Arguments<`findings.${Key}`>): Finding
  function found(key: FindingKey, values: Values = {}): Finding {
    return { weight, key, values }
  }
  return found
}
export const good = finding('good')
export const bad = finding('bad')
export const note = finding('note')

/** Returns the finding as a sentence. */
export function findingText(language: Language, { key, values }: Pick<Finding, 'key' | 'values'>): string {
  return translateAny(language, `findings.${key}`, values)
}
