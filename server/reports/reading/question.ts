/** What a statement does not say by itself, and what a person answers. */
import type { z } from 'zod'
import type { AnswersGiven } from './format.ts'

/** What a person has said about the file, or about all files of the account with this head. */
export type Answers = Partial<z.infer<typeof AnswersGiven>>

/** A question in the file's own words. `choices`: what the text may mean, and the answer that says so. */
export type Question =
  | { about: 'columns'; missing: string[]; columns: string[] }
  /** `named`: the name of the amounts' column states this currency, and a column beside it has others. */
  | { about: 'currency'; named?: string }
  | { about: 'amounts'; text: string; line: number; choices: { minor: number; answers: Answers }[] }
  | { about: 'days'; text: string; line: number; choices: { day: Date; answers: Answers }[] }
  /** `column`: its words may say something else, and all money came. Absent: the column is one of directions. */
  | { about: 'direction'; words: string[]; column?: string }
  /** Some amounts have a plus or CR, such as `marked`, and others have no sign. */
  | { about: 'unsigned'; marked: { text: string; line: number }; text: string; line: number }
  /** Which of them moved money: any number of the words. */
  | { about: 'status'; words: string[] }
  | { about: 'encoding'; choices: { text: string; answers: Answers }[] }
  | { about: 'equalIds'; lines: SameId[] }

/** A line with an id that another line has too, of the same kind and in the same direction, with another amount. */
export type SameId = { id: string; line: number; amountMinor: number; currency: string }

/** A remark that is shown beside what was understood. */
export type Remark =
  | { about: 'currency'; found: string[]; said: string }
  /** The column of the direction was found by its words. `credit`: the word for money that came. */
  | { about: 'direction'; column: string; credit: string }
