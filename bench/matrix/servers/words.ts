/** What a server says that answers every prompt alike: long enough for limits and stop sequences to show. */
export const words = `The harbour was quiet that night. A lamp swung above the old stone steps, and rain ran down the ropes of \
the last boat. Nobody spoke; only the gulls cried now and then, far out over the tide. In the morning the wind would \
turn, and the men would sail again, as they had done every spring since the lighthouse was built.`
