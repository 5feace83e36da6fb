/** The time zone of a merchant that has not set one. */
export const TIME_ZONE = 'Asia/Yerevan'
