/** What a statement does not say by itself, and what a person answers. */
import type { StatementFormat } from './format.ts'

/** What a person has said about the file, or about all files of the account with this head. */
export type Answers = Partial<
  Pick<
    StatementFormat,
    'decimalSign' | 'threeDecimals' | 'dates' | 'currency' | 'timeZone' | 'credit' | 'feeSign' | 'equalIds'
  >
>

/** A question in the file's own words. `choices`: what the text may mean, and the answer that says so. */
export type Question =
  | { about: 'columns'; missing: string[]; columns: string[] }
  | { about: 'currency' }
  | { about: 'amounts'; text: string; line: number; choices: { minor: number; answers: Answers }[] }
  | { about: 'days'; text: string; line: number; choices: { day: Date; answers: Answers }[] }
  | { about: 'direction'; words: string[] }
  | { about: 'equalIds'; lines: SameId[] }

/** A line with an id that another line has too, of the same kind and in the same direction, with another amount. */
export type SameId = { id: string; line: number; amountMinor: number; currency: string }

/** A remark that is shown beside what was understood. */
export type Remark = { about: 'currency'; found: string[]; said: string }
