import { InvalidArgumentError } from 'commander'

/** Reads a flag's value: a whole number, and not less than `least`. */
export const atLeast = (least: number) => (text: string) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least)
    throw new InvalidArgumentError(`a whole number from ${least} on`)
  return value
}
