// Room for the contacts of an island: it grows before steps, never within one.
#include "contact/list.h"

bool contactListReserve(ContactList *list, Memory *memory, int capacity)
{
    if (capacity <= list->capacity)
        return true;
    int grown = capacity + capacity / 2;
    void *item = list->item;
    if (!memoryGrow(memory, &item, (size_t)list->capacity, (size_t)grown, sizeof(Contact)))
        return false;
    list->item = item;
    list->capacity = grown;
    return true;
}

void contactListRelease(ContactList *list, Memory *memory)
{
    memoryRelease(memory, list->item);
    *list = (ContactList){ 0 };
}
