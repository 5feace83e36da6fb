/**
 * A deliberate fault of the money code: what it is, and the changes that make it. `from` stands once in `file`, which is below
 * `server/`.
 */
export type Edit = { file: string; from: string; to: string }
export type Mutation = { name: string; what: string; edits: Edit[] }

export const edit = (file: string, from: string, to: string): Edit => ({ file, from, to })
