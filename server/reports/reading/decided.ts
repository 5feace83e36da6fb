/** What the whole file decides about how it is read, and what it leaves open. */

import type { Layout } from './describe.ts'
import type { Evidence } from './evidence.ts'
import type { StatementFormat } from './format.ts'
import type { Question, Remark } from './question.ts'

type Part = Omit<Partial<StatementFormat>, 'columns'> & { columns?: Partial<StatementFormat['columns']> }
export type Decided = { decided: Part; questions: Question[]; remarks: Remark[] }
export type Facts = { evidence: Evidence; layout: Layout; now: Date }

export const none = (): Decided => ({ decided: {}, questions: [], remarks: [] })
