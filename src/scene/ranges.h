// Short hands for the table of keys. Included by the files that hold parts of it.
#ifndef SCENE_RANGES_H
#define SCENE_RANGES_H

#define ABOVE(low, high) .range = { .least = (low), .most = (high), .above = true }
#define BETWEEN(low, high) .range = { .least = (low), .most = (high) }
#define INSIDE(low, high) .range = { .least = (low), .most = (high), .above = true, .below = true }
#define LENGTHS .unit = "m", BETWEEN(-1e6, 1e6)
#define TIMES .unit = "s", BETWEEN(0, 1e6)
#define ENTRIES(low, high) BETWEEN(low, high) // of a list
#define KEYS(list) .keys = (list), .keyCount = (int)(sizeof(list) / sizeof(list)[0])

#endif
