// A scene as a tree: checked against the table of keys, defaults filled in, changed by --set, read by name. Inside the
// scene room only. Messages begin with the path of what they are about and a space.
#ifndef SCENE_TREE_H
#define SCENE_TREE_H

#include "base/json.h"
#include "scene/keys.h"

// ---- check.c --------------------------------------------------------------------------------------------------------

// Every key, kind, word and range; then fills in defaults and puts the keys in the order of the table.
vvResult treeCheck(Json *scene);
void treeOrder(const Object *object, Json *item); // puts its keys in the order of the table

// ---- rules.c: what one key says about another -----------------------------------------------------------------------

// Where the files of a scene lie.
typedef struct Reach
{
    const char *folder; // that its files are relative to; "": the present one
    bool anywhere;      // files outside it may be read too
} Reach;

// Fills in defaults that depend on other keys, in the order of the table; files become absolute. Call after treeCheck.
vvResult treeRules(Json *scene, const Reach *reach);

// animation.c: a name with # for the digits of a frame's number. false: it has none, or is too long
bool animationFrameFile(const char *pattern, int frame, char *path, size_t size);
int animationFirstFrame(const char *pattern); // 0 or 1; -1: there is no file

vvResult treeFile(Json *owner, const char *path, const Reach *reach); // reach.c: its `file`, checked and made absolute
void reachTyped(Json *value);                            // reach.c: --set wrote it, so its files may lie anywhere
vvResult treeTimes(const Json *owner, const char *path); // the times of its keyframes grow
vvResult treeAnimation(Json *owner, const char *path, const Reach *reach); // its `animation`, if it has one
vvResult treeRigids(Json *scene, const Reach *reach);                      // rules_rigid.c
vvResult treeSolid(Json *owner, const char *path, const Reach *reach);     // what its `shape` says of other keys
vvResult treeCollider(Json *collider, int index, const Reach *reach);      // rules_collider.c

// ---- set.c ----------------------------------------------------------------------------------------------------------

vvResult treeSet(Json *scene, const char *set); // "bodies.0.material.young=2e5"; call before treeCheck

// ---- tree.c: reading a checked tree ---------------------------------------------------------------------------------

Json *treeItem(const Json *object, const char *key); // NULL: not there; a NULL object has nothing
double treeValue(const Json *item);                  // of a number; true is 1
double treeNumber(const Json *object, const char *key, double without);
int treeInteger(const Json *object, const char *key, int without);
bool treeSwitch(const Json *object, const char *key);
const char *treeString(const Json *object, const char *key); // NULL: not there
int treeWord(const Json *object, const char *key,
             const char *(*word)(int index));           // its index in the list; 0: not there
vvVec3 treeVector(const Json *object, const char *key); // 0 0 0: not there
vvVec3 treePoint(const Json *list);                     // of three numbers
int treeCount(const Json *object, const char *key);     // entries of a list
bool treeExpand(Json *value, const char *key); // text becomes { key: text }, all else stays; false: out of memory

// every entry of a list, or member of an object; NULL has none
#define TREE_EACH(entry, list) for (Json *entry = treeFirst(list); entry != NULL; entry = entry->next)

static inline Json *treeFirst(const Json *list)
{
    return list ? list->first : NULL;
}

#endif
