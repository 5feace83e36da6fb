/** Turns the issues of a schema into the contract's map from field names to sentences, with every wrong field of a request. */
import { z } from 'zod'
import { complaint } from '../complaint.ts'
import type { FieldErrors } from '../contract/failure.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { translate } from '../messages/translate.ts'
import { findMeant as findSpelling } from '../spelling.ts'

const INVALID_STATUS = 422

/** @throws AppError with one sentence for each field: validation_failed, or the code that all wrong fields share */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  whole = 'body',
): z.infer<Schema> {
  const parsed = schema.safeParse(data, { error: complaint })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  const codes = new Set(issues.map(codeOf))
  const [code = 'validation_failed'] = codes.size === 1 ? codes : []
  throw new AppError(code, {
    errors: fieldErrors(issues, { whole, knownAt: (path) => missingAt(schema, data, path) }),
  })
}

/** A check of a schema can name the error code of its own failure. */
function codeOf(issue: z.core.$ZodIssue): ErrorCode {
  const params = issue.code === 'custom' ? (issue.params as { code?: ErrorCode } | undefined) : undefined
  return params?.code ?? 'validation_failed'
}

/** Returns the properties that the schema knows at this place and the data does not have there. */
function missingAt(schema: unknown, data: unknown, path: readonly string[]): string[] {
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  if (!(object instanceof z.ZodObject)) return []
  const [name, ...rest] = path
  const given = Object(data)
  return name === undefined
    ? Object.keys(object.shape).filter((each) => !Object.hasOwn(given, each))
    : missingAt(object.shape[name], given[name], rest)
}

const MEANT_LETTERS_MIN = 3
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** Returns the property that somebody means by another name, such as `amount`, `return_url` or `curency`. */
function findMeant(key: string, known: readonly string[]): string | null {
  const given = lettersOf(key)
  if (given.length < MEANT_LETTERS_MIN) return null
  const alike = known.find((name) => lettersOf(name).includes(given) || given.includes(lettersOf(name)))
  return alike ?? findSpelling(key, known)
}

/** A developer who sends `amount` means 19.00, so the message must not make them send 19 as `amountMinor`. */
function suggestName(key: string, name: string): string {
  const isOtherUnit = name.endsWith('Minor') && !lettersOf(key).includes('minor')
  return translate('en', `errors.value.unknownKeyMeant${isOtherUnit ? 'Minor' : ''}`, { name })
}

function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  { whole, knownAt }: { whole: string; knownAt(path: readonly string[]): string[] },
): FieldErrors {
  const errors: FieldErrors = {}
  for (const issue of issues) {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys')
      for (const key of issue.keys) {
        const name = findMeant(key, knownAt(path))
        errors[[...path, key].join('.')] = name ? suggestName(key, name) : issue.message
      }
    else errors[path.join('.') || whole] ??= issue.message
  }
  return errors
}

/**
 * Runs several checks and collects what they reject, so that the caller learns of all wrong fields in one response. `rejectIfWrong`
 * throws the only problem as it is. Several problems become one validation_failed with the fields of all of them.
 */
export function collectProblems() {
  const problems: AppError[] = []
  const note = (error: unknown): undefined => {
    if (!(error instanceof AppError) || error.row.status !== INVALID_STATUS) throw error
    problems.push(error)
  }
  return {
    check<Result>(work: () => Result): Result | undefined {
      try {
        return work()
      } catch (error) {
        return note(error)
      }
    },
    /** Like `check`, for asynchronous work. */
    async checkLater(work: () => Promise<void>): Promise<void> {
      await work().catch(note)
    },
    /** @throws AppError */
    rejectIfWrong(): void {
      const [first, ...others] = problems
      if (!first) return
      if (others.length === 0) throw first
      const errors: FieldErrors = {}
      for (const { details } of problems)
        for (const [field, problem] of Object.entries(details.errors ?? {})) errors[field] ??= problem
      const code = others.every((other) => other.code === first.code) ? first.code : 'validation_failed'
      throw new AppError(code, { errors })
    },
  }
}
