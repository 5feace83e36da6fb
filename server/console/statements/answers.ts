/** What a person has said about an uploaded file. The address carries it, so that each answer is a link and the way back works. */
import { AnswersGiven } from '../../reports/reading/format.ts'
import type { Answers } from '../../reports/reading/question.ts'
import { READY_NAMES, type ReadyName } from '../../reports/reading/ready.ts'

/** `replaces`: the digests of earlier statements. `format`: a ready format that was chosen. */
export type FormAnswers = { answers: Answers; replaces: string[]; format: ReadyName | undefined }

const STATUS = 'status_'
const REPLACES_MAX = 20

/** Anything that is no answer is left out. */
export function answersIn(query: Record<string, string>): FormAnswers {
  const { replaces = '', format, threeDecimals, ...rest } = query
  const statuses = Object.entries(rest).flatMap(([name, word]) => (name.startsWith(STATUS) ? [word] : []))
  const given: Record<string, unknown> = {
    ...rest,
    currency: rest.currency?.trim().toUpperCase(),
    threeDecimals: threeDecimals === 'true' || undefined,
    statuses: statuses.length > 0 ? statuses : undefined,
  }
  const shape: Record<string, { safeParse(value: unknown): { success: boolean; data?: unknown } }> =
    AnswersGiven.shape
  const answers = Object.fromEntries(
    Object.entries(shape).flatMap(([name, schema]) => {
      const { success, data } = schema.safeParse(given[name] || undefined)
      return success && data !== undefined ? [[name, data]] : []
    }),
  )
  return {
    answers: AnswersGiven.parse(answers),
    replaces: replaces
      .split(',')
      .filter((digest) => /^[0-9a-f]{64}$/.test(digest))
      .slice(0, REPLACES_MAX),
    format: READY_NAMES.find((name) => name === format),
  }
}

/** The same as fields of a form, or of an address. */
export function fieldsOf({ answers, replaces, format }: FormAnswers): Record<string, string> {
  const { statuses = [], ...single } = answers
  const texts = Object.entries(single).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(texts.map(([name, value]) => [name, String(value)])),
    ...Object.fromEntries(statuses.map((word, at) => [`${STATUS}${at}`, word])),
    ...(replaces.length > 0 && { replaces: replaces.join(',') }),
    ...(format && { format }),
  }
}

export const statusField = (at: number) => `${STATUS}${at}`
