// The door of the world room: what its files offer each other. The objects are in objects.h.
#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "world/objects.h"

// ---- ids.c: the table of worlds, and ids into worlds ----------------------------------------------------------------

World *worldFind(vvWorldId id);  // NULL: null or stale
Body *bodyFind(vvSoftBodyId id); //
Attachment *attachmentFind(vvAttachmentId id, World **world);
Handle *handleFind(vvHandleId id, World **world);
Collider *colliderFind(vvColliderId id, World **world);
WorldJoint *jointFind(vvJointId id, World **world);
Rigid *rigidFind(vvRigidBodyId id, World **world);
WorldFluid *fluidFind(vvFluidId id, World **world);
Added *addedFind(uint32_t world1, uint32_t index1, uint32_t generation, World **world); // by the fields of its id
vvResult badId(const char *what);

// The same for calls that change something: NULL also while the world calls its owner back.
World *worldOpen(vvWorldId id);
Body *bodyOpen(vvSoftBodyId id);
Attachment *attachmentOpen(vvAttachmentId id, World **world);
Handle *handleOpen(vvHandleId id, World **world);
Collider *colliderOpen(vvColliderId id, World **world);
WorldJoint *jointOpen(vvJointId id, World **world);
Rigid *rigidOpen(vvRigidBodyId id, World **world);
WorldFluid *fluidOpen(vvFluidId id, World **world);
vvResult refused(const char *what);

// The id of what stands in a slot.
#define ID_OF(Type, world, at, count)                                                                                  \
    ((Type){ ((uint32_t)(at) + 1) & 0x3fffff, ((uint32_t)(world)->slot + 1) & 0x3ff, (count) })
_Static_assert(VV_MAX_WORLDS <= 0x3ff && VV_MAX_OBJECTS < 0x3fffff, "they fit into an id");
uint32_t nextGeneration(World *world);

vvWorldId worldId(const World *world);
vvResult worldInsert(World *world, vvWorldId *id); // into the table; VV_LIMIT: it is full
void worldRemove(const World *world);

// ---- words.c: the words that settings may be ------------------------------------------------------------------------

// Index of the word in a list of names, or an error that suggests the nearest one.
vvResult findWord(const char *what, const char *word, const char *(*nameAt)(int), int *found);
int indexOf(const char *word, const char *(*nameAt)(int));                 // of a word that has been checked
vvResult integratorNamed(const char *name, const Integrator **integrator); // VV_BAD_INPUT: there is none

// ---- tableau.c ------------------------------------------------------------------------------------------------------

vvResult checkTableau(const vvTableau *tableau);
Tableau tableauOf(const vvTableau *given); // no stages: none was given

// ---- method.c: another method, asked for or of a saved state --------------------------------------------------------

vvResult worldReadyFor(World *world, const Integrator *integrator); // room and matrices for it; an error: as before
void worldTakeMethod(World *world, const Integrator *integrator);   // once the world is ready for it; nothing fails
void worldReduce(World *world);                                     // releases what the method does not need
void worldNoteUnused(World *world,
                     const char *name); // logs this setting, NULL: every one, if it is set and has no effect

// ---- state.c: the world's arrays ------------------------------------------------------------------------------------

bool stateReserve(World *world, int count);                    // room for so many vertices; false: out of memory
bool stateReserveBeside(World *world, int count, int settled); // some of them only until `settled` are left
bool stateReservePast(World *world, const Method *method);     // room for what the method keeps; false: out of memory
void stateRemove(World *world, int first, int count);          // closes the gap
void stateOrder(World *world, Body *const *order);             // lays the bodies out in this order, without allocation
State stateSlice(const State *state, int first, int count);
IslandStep stepSlice(const IslandStep *step, int first);

// ---- blueprint.c ----------------------------------------------------------------------------------------------------

// `heritage`: NULL, or it is taken where it fits. NULL: out of memory.
Blueprint *blueprintAcquire(World *world, vvMesh *mesh, const Stencils *stencils, const Heritage *heritage);
bool blueprintComplete(World *world, Blueprint *blueprint); // what the world's method needs; false: out of memory
void blueprintReduce(World *world, Blueprint *blueprint);   // releases what it does not need, after the bodies
void blueprintRelease(World *world, Blueprint *blueprint);

// ---- modal.c --------------------------------------------------------------------------------------------------------

// before a step, where the method uses them; `anew`: also those that are not current. False: out of memory
bool modesPrepare(World *world, bool anew);
void modesWait(Body *body); // its mesh or material has changed: they are made some steps later
// What modes or functions that it has, or waits for, follow from beside the mesh, as a number; 0: it has none.
double modesBasis(Body *body);
void modesAccept(World *world); // what was prepared is part of the state now
void bodyReleaseModes(Body *body);

// ---- pieces.c -------------------------------------------------------------------------------------------------------

bool bodyCreatePieces(Body *body); // none where it hangs together; false: out of memory
void bodyDestroyPieces(Body *body);
// Of each vertex the piece that it is in, -1 where something holds it, and how many there are; NULL where it hangs
// together. `tie`: N/m at each vertex, or NULL. False: out of memory.
bool bodyFreePieces(const Body *body, const State *slice, const double *tie, int *count, int **piece);

// ---- smooth.c -------------------------------------------------------------------------------------------------------

double smoothBodyWork(const Body *body);    // multiply-adds of making its functions; 0: it needs none
double smoothBasis(const Body *body);       // what they follow from beside the mesh, as a number above 0
bool smoothPrepare(Body *body, bool waits); // before a step; false: out of memory
void bodyReleaseSmooth(Body *body);

// ---- material.c -----------------------------------------------------------------------------------------------------

void materialDamp(const World *world, vvSoftBodyDef *def); // puts numbers for LOSS_UNSTATED and DAMPING_OF_MATERIAL

// ---- body.c, attachment.c -------------------------------------------------------------------------------------------

vvResult bodyCheckDef(const World *world, const vvSoftBodyDef *def);
vvResult bodyMasses(const vvSoftBodyDef *def, double *mass);                          // kg, in the mesh's order
vvResult bodyCreateDefined(Body *body, const vvSoftBodyDef *def, const double *mass); // the energies of its definition
void bodyDestroy(Body *body);
void bodyFree(Body *body);                                        // it may be half built; it is not in the world
bool bodyCreateCallerArrays(Body *body);                          // false: out of memory
vvResult bodyPlaceMasses(Body *body, const vvSoftBodyDef *def);   // behind the last vertex
vvResult bodyPlaceVertices(Body *body, const vvSoftBodyDef *def); // its first state, behind the last vertex
bool bodyCreateMatrix(Body *body); // what the world's method needs, if it has not; false: out of memory
void bodyReduceMatrix(Body *body); // releases what the world's method does not need
vvSoftBodyId bodyId(const Body *body);
void attachmentsOfBodyDestroy(Body *body);
void attachmentLetGo(World *world, Attachment *attachment); // books what it holds as removed; it acts no more
void attachmentsArrive(World *world);                       // moved points are where they were sent
void attachmentPlace(Attachment *attachment, Vec3 start, Vec3 target);
// at most `most` of them: sum 1, each `least` to -`least` + 1 (none below 0 for 0); those of weight 0 are not used
vvResult checkShares(const Body *body, const int *vertices, const double *weights, int most, double least);
// all of them or none; more than one: to points of one body, or between bodies
int attachmentLink(World *world, Body *a, Endpoint endA, Body *b, Endpoint endB, int joint, vvResult *result);
void attachmentsOfJointDestroy(World *world, int joint);
void attachmentsReleaseIdle(World *world); // what stands for rigid bodies to which nothing is attached any more
vvResult attachmentsCreate(World *world, const vvAttachmentDef *defs, int count, int *slots);

// ---- attachment_force.c ---------------------------------------------------------------------------------------------

static inline bool attachmentActs(const Attachment *attachment)
{
    return attachment->used && !attachment->broken;
}

static inline bool attachmentLinks(const Attachment *attachment) // two bodies
{
    return attachmentActs(attachment) && attachment->body[1] != NULL;
}

void attachmentChanged(World *world, const Attachment *attachment); // its spring, in islands: factors are made anew
Vec3 attachmentEnd(const World *world, const Attachment *attachment, int end); // m, at the present state
double attachmentSlid(const World *world, const Attachment *attachment);       // m, likewise, of its second end
Endpoint attachmentAt(const Attachment *attachment, double slid);              // its second end there
double attachmentMost(const Attachment *attachment, int end, int k);           // |share| of a vertex in the step ahead
double attachmentEnergy(const World *world, const Attachment *attachment);     // J
Vec3 attachmentPull(const World *world, const Attachment *attachment);         // N, on body[0]
double attachmentBound(const Attachment *attachment); // N/m: times |share|, of each vertex, it lies above the spring
bool attachmentBreaks(const Attachment *attachment);  // it has a force at which it does
bool attachmentsBond(World *world);                   // what they hold together, for contact; false: out of memory
void attachmentsBreak(World *world);                  // at the end of a step
void attachmentSetBroken(Attachment *attachment, bool broken); // as a saved state says

// ---- body_state.c ---------------------------------------------------------------------------------------------------

void bodyBookJump(Body *body, double before); // J it had before a change: wakes it and books the jump

// ---- redefine.c -----------------------------------------------------------------------------------------------------

bool bodyKeepDef(Body *body, const vvSoftBodyDef *def); // false: out of memory
void bodyReleaseDef(Body *body);

// ---- change.c -------------------------------------------------------------------------------------------------------

void meshEventsClear(World *world); // before a step
void breaksForget(World *world);    // likewise
void meshEventsDestroy(World *world);

// ---- tear.c ---------------------------------------------------------------------------------------------------------

vvResult checkTear(const vvSoftBodyDef *def);
int tearElements(const vvMesh *mesh);                       // that elementToughness is of
bool bodyCreateTears(Body *body, const vvSoftBodyDef *def); // what it needs to tear, if it does; false: out of memory
void bodyDestroyTears(Body *body);
void tearsSettle(World *world); // after a step: what tears

// ---- origin.c -------------------------------------------------------------------------------------------------------

int bodyVerticesAtFirst(const Body *body);            // before its mesh changed: later ones have come from others
void originRelease(Body *body);                       // with what has become of its mesh
int originVertex(const Body *body, int vertex);       // as the mesh that it was made from numbers it, for fingerprints
uint64_t originHash(const Body *body, uint64_t hash); // of what the sides of tears owe
int originTriangles(const Body *body);                // of the surface of that mesh
const double *originFriction(const Body *body, int *count); // vertexFriction of its definition, or NULL

// ---- model.c --------------------------------------------------------------------------------------------------------

const char *bodyModel(const Body *body);
vvResult bodyCreateElastic(Body *body, const vvSoftBodyDef *def); // and its damper, of the model that it names
vvResult bodyEnterDamper(Body *body, Energy *energy);             // takes the energy over; NULL: out of memory
double bodyWaveSpeed(const Body *body, const vvSoftBodyDef *def, const double *mass); // m/s

// ---- constraint.c ---------------------------------------------------------------------------------------------------

void plasticRecipe(const vvSoftBodyDef *def, Recipe *recipe); // plasticity.c: of elements that yield
vvResult checkPlasticity(const vvSoftBodyDef *def);
vvResult checkConstraints(const vvSoftBodyDef *def);
vvResult checkLaw(const vvSoftBodyDef *def, const EnergyKind *kind);
vvResult checkShapes(const Integrator *integrator, bool shapes); // shape matching, where it would not be right
bool bodyMatchesShape(const Body *body); // or has global weights of examples: the Hessian is a bound
bool defMatchesShape(const vvSoftBodyDef *def);
vvResult bodyEnterConstraint(Body *body, Energy *energy); // takes the energy over; NULL: out of memory
vvResult bodyCreateConstraints(Body *body, const vvSoftBodyDef *def, const double *mass); // after its material
void bodyDestroyConstraints(Body *body);

// ---- bending.c ------------------------------------------------------------------------------------------------------

Reach reachOf(const vvSoftBodyDef *def);
vvResult bodyCreateStencils(Body *body, const vvSoftBodyDef *def); // before its blueprint
vvResult bodyCreateBending(Body *body, const vvSoftBodyDef *def, Recipe recipe);

// ---- own_constraint.c -----------------------------------------------------------------------------------------------

void constraintDestroy(Energy *energy);                                        // of any kind, or NULL
vvResult bodyCheckRoom(const Body *body);                                      // for one more hinge or constraint
bool constraintKeepContext(Energy *energy, const Energy *from, const int *to); // of energyOver; false: out of memory

// ---- limit.c --------------------------------------------------------------------------------------------------------

int limitsSearch(World *world, double dt); // which may be reached within dt; returns how many
void limitsArrive(World *world);           // skins are where they were sent
void limitsRewind(World *world);           // after a step that failed
void limitsRestore(World *world);          // after a state was loaded
bool limitDestroy(Energy *energy);         // false: it is none
bool limitKeepContext(Energy *energy, const Energy *from, const int *to); // of energyOver; false: out of memory

// ---- added.c --------------------------------------------------------------------------------------------------------

vvResult bodyJoin(Body *body, Energy *energy, int *slot); // takes it over and books it; NULL: out of memory
Blueprint *bodyAcquireBlueprint(Body *body, const Heritage *heritage); // of what it holds now; NULL: out of memory
bool bodyRenewMatrices(Body *body);  // made anew for what the body holds now; false: out of memory, nothing has changed
void addedOfBodyRelease(Body *body); // their ids, when the body goes
bool addedIsHinge(const Added *added);
bool addedIsConstraint(const Added *added);

// ---- handle.c -------------------------------------------------------------------------------------------------------

double handleStiffness(const vvSoftBodyDef *def, double mass); // N/m
bool handleIsUsed(const Handle *handle);

// ---- wind.c ---------------------------------------------------------------------------------------------------------

vvResult checkWind(const vvWind *wind);
vvResult worldSetWind(World *world, vvWind wind); // refused, or out of memory: as it was
vvResult bodyCreateWind(Body *body);              // what the air acts on, if there is air and it has not
void windBlow(World *world, double dt);           // forces of the step ahead

// ---- step.c ---------------------------------------------------------------------------------------------------------

void bodySetGravity(Body *body, Vec3 gravity); // without booking

// ---- fingerprint.c --------------------------------------------------------------------------------------------------

uint64_t bodyFingerprint(const Body *body);    // of its definition and what was added
uint64_t worldFingerprint(const World *world); // of what a saved state belongs to

// Of the air, of fluids, of colliders or of attachments, which are told apart by themselves.
bool isCircumstance(const Body *body, const Energy *energy);

// ---- saved_mesh.c ---------------------------------------------------------------------------------------------------

struct Archive;
void walkOrigins(struct Archive *archive, World *world);

// ---- saved_contact.c ------------------------------------------------------------------------------------------------

uint64_t mixShape(uint64_t hash, const vvShape *shape);
uint64_t mixColliders(uint64_t hash, const World *world); // into the fingerprint of what a state belongs to
void walkColliders(struct Archive *archive, World *world);
void walkContact(struct Archive *archive, Body *body);

// ---- collider.c -----------------------------------------------------------------------------------------------------

int colliderReserve(World *world);     // a free slot; -1: out of memory
vvResult contactsCreate(World *world); // of bodies that met no collider so far
int bodySearch(Body *body, double dt); // switches on what may touch within dt; returns how many
int contactsSearch(World *world, double dt);
void contactsMark(World *world);               // before the search of a step
void contactsRestore(World *world);            // after a step that failed
void collidersTravel(World *world, double dt); // what the surfaces of belts move by in a step; 0 between steps
void collidersBook(World *world); // what bodies hold after looking around: the change of contact energy is added
void contactsBook(World *world);  // the same for soft bodies alone
void collidersDestroy(World *world);

// ---- collider_motion.c ----------------------------------------------------------------------------------------------

void collidersArrive(World *world); // moved ones are where they were sent

// ---- rigid.c --------------------------------------------------------------------------------------------------------

void rigidsDestroy(World *world);

// ---- proxy.c --------------------------------------------------------------------------------------------------------

static inline const Body *bodySeen(const Body *body) // this one, or the next that stands for nothing else
{
    while (body != NULL && body->proxyOf > 0)
        body = body->next;
    return body;
}

Body *proxyAcquire(World *world, int slot, vvResult *result); // of a rigid body; NULL: `result` says why
void proxyRefit(World *world, int slot);                      // after its joints have changed; -1: none
void proxyRelease(Body *body);
Endpoint proxyPoint(const Body *body, Vec3 local); // m, in the caller's frame of the rigid body
Body *proxyGround(World *world, int slot, Vec3 centre, double size, vvResult *result); // pinned, for a joint of it
Endpoint groundAt(const Body *body, Vec3 centre, double size, Vec3 point);             // m, in the world
Endpoint groundDirection(const Body *body, double size, Vec3 d);                       // m, of a direction
void proxyTune(Rigid *rigid, double rate, double times); // masses and stiffness, as of Rigid
void proxiesTune(World *world, double dt); // before matrices are made: as stiff as a step of dt wants them

// ---- proxy_step.c ---------------------------------------------------------------------------------------------------

void proxiesLoad(World *world, double dt);  // before islands are solved, after rigidsForesee
void proxiesReact(World *world, double dt); // after them: the reactions of rigid bodies
bool proxyLeads(const Rigid *rigid);        // it is where its stand-in is, with its momenta
void proxiesSettle(World *world,
                   double dt); // at the end of a step: those that nothing else moves are where their stand-ins are

// ---- proxy_touch.c --------------------------------------------------------------------------------------------------

bool proxyMeetsRigid(const Rigid *rigid); // contacts hold it that are not in its island
bool standsNear(const Body *body, const Rigid *rigid); // by boxes: a stand-in that stands, and another rigid body
vvBox rigidReachBox(const World *world, const RigidBody *body, double dt); // m: where it may be in the step
void standsMark(World *world, double dt);              // first of all: who stands
void standsReact(World *world, double dt);             // to reactions of rigid bodies that do not
bool proxyMeetsColliders(const World *world, int slot, double dt); // its stand-in may, in the step ahead
bool standsSearch(World *world, double dt); // after meetingSearch: near what; false: out of memory
void standsLend(World *world);              // to islands
void standsRemember(World *world);          // after a step that was accepted: into the memory of rigid bodies
void standsBook(World *world);              // and what contact took
int standsTouch(const World *world, vvContact *contacts); // of that step; NULL: how many at most

void rigidFollowProxy(Rigid *rigid);                  // wakes it where its stand-in is awake
bool islandRests(World *world, const System *system); // it is tired, and so are the rigid bodies in it

// ---- machine.c ------------------------------------------------------------------------------------------------------

vvResult machinesRefit(World *world);        // after joints or attachments have changed
void machinesTune(World *world, double dt);  // before matrices are made
void machinesBegin(World *world, double dt); // before a step, and at its end: what springs bear for their joints
void machinesEnd(World *world);
void machinesFail(World *world);                                 // a step is not taken
void machinesStand(World *world);                                // motors that act in islands do not in their joints
bool machineLeads(const World *world, const WorldJoint *joint);  // both bodies are where their stand-ins are
void machineBreak(World *world, int slot);                       // of a joint that breaks: its springs hold nothing
void machineRestore(const World *world, Attachment *attachment); // as a saved state says
void machinesSettle(World *world, double dt);                    // at the end of a step, after stand-ins

// ---- rigid_step.c ---------------------------------------------------------------------------------------------------

void rigidsBegin(World *world);                    // nothing has pushed them yet
void rigidsRewind(World *world);                   // to before the step
void rigidsTakeForeseen(World *world, double dt);  // after a step, before it is taken back: where it led
bool rigidsForesee(World *world, double dt);       // a step without reactions, then back; false: out of memory
void rigidsFlow(World *world);                     // what fluids push with, into the reactions
vvResult rigidsStep(World *world, double dt);      // VV_DIVERGED: as before
void rigidsAccept(World *world, double dt);        // what the step booked, and the end of its forces
void rigidsBookGravity(World *world, Vec3 change); // m/s^2, what there is less of: the potentials that jump
void rigidsAddLedger(const World *world, vvLedger *ledger);
uint64_t rigidsHash(const World *world, uint64_t hash);

// ---- rigid_sleep.c --------------------------------------------------------------------------------------------------

void rigidsWake(World *world);
void rigidsStir(World *world);              // before a step: who cannot sleep in it
void rigidsSettle(World *world, double dt); // after a step: who falls asleep

// ---- meeting.c: soft and rigid bodies -------------------------------------------------------------------------------

vvResult meetingCreate(World *world, int slot);    // the shapes of a new rigid body, as colliders
void meetingForget(World *world, int slot);        // those of one that is destroyed
void meetingLeave(World *world, const Body *gone); // a soft body that is destroyed: the others stay together
void meetingPlace(World *world);                   // where the bodies are
bool meetingSearch(World *world, double dt);       // who is near whom, and what is foreseen; false: out of memory
// rigid bodies to the systems of their islands; `again`: but to those that a fluid has taken; false: out of memory
bool meetingLend(World *world, double dt, bool again);
bool meetingFlow(World *world, double dt); // what fluids with sheets did to rigid bodies is foreseen, too; likewise
bool meetingIsDone(const World *world, const Rigid *rigid); // its island integrated it to the end of the step
void meetingReact(World *world, double dt);                 // what contacts did, for the rigid step
// After it: did a body move otherwise than its island thought? Then it is foreseen as it moved, and goes back
bool meetingDiffers(World *world, double dt, int time); // the first is 0
MovableRail railOf(World *world, int slot);             // rail.c: of the slider of a rigid body near soft ones
void railsSettle(World *world);                         // after the rigid step
void meetingFail(World *world);                         // after a step that failed

// ---- joint.c, joint_step.c ------------------------------------------------------------------------------------------

void jointTakeMotor(WorldJoint *joint);          // that of its definition
int jointMotorAxis(const vvJointDef *def);       // of its measures, -1: it has no motor
void jointsOfRigidMoved(World *world, int slot); // put elsewhere by the caller
void jointsOfRigidDestroy(World *world, int slot);
void jointsDestroy(World *world);
RigidBody *jointBody(World *world, int slot); // -1: the ground
void jointWake(World *world, const WorldJoint *joint);
Account *jointAccount(World *world, const WorldJoint *joint);
void jointsMark(World *world);   // before a step: who is joined to whom
void jointsRewind(World *world); // after a step that failed
void jointsAccept(World *world, double dt);
double jointsEnergy(const World *world); // J, held by compliance
uint64_t jointsHash(const World *world, uint64_t hash);
uint64_t mixJoints(uint64_t hash, const World *world);
void walkJoints(struct Archive *archive, World *world);

// ---- saved_rigid.c --------------------------------------------------------------------------------------------------

uint64_t mixRigids(uint64_t hash, const World *world);
void walkRigids(struct Archive *archive, World *world);

// ---- fluid.c, fluid_step.c ------------------------------------------------------------------------------------------

void fluidsDestroy(World *world);
double particleEnergy(const World *world, const Fluid *fluid, Vec3 position, Vec3 velocity); // J
// VV_DIVERGED: as before. Those that no sheet or rope may meet, before anything is searched for; then the others, with
// the islands of these sheets, after that.
vvResult fluidsStep(World *world, double dt);
vvResult fluidsStepWet(World *world, double dt);
void fluidsRewind(World *world);                   // where something else in the step fails
void fluidSoftsWatch(World *world, double dt);     // what holds bodies, before a step is accepted
void fluidsAccept(World *world);                   // what the step booked
void fluidsBookGravity(World *world, Vec3 change); // as rigidsBookGravity
void fluidsAddLedger(const World *world, vvLedger *ledger);
uint64_t fluidsHash(const World *world, uint64_t hash);
vvResult bodyCreatePress(Body *body);       // what fluids press on it with, if there are fluids and it is solid
bool bodyMeetsFluids(const Body *body);     // there are fluids, and it needs a collision mesh for them
vvResult fluidsPrepareBodies(World *world); // likewise all of them, and their surfaces
void fluidsSoothe(World *world, bool wet);  // forces of the step under way, less what would shake bodies
void fluidsPressBodies(World *world);       // exchanges them for those of the step before

// ---- saved_fluid.c --------------------------------------------------------------------------------------------------

uint64_t mixFluids(uint64_t hash, const World *world);
size_t walkFluidCounts(struct Archive *archive, World *world); // bytes of the particles that the archive speaks of
size_t fluidsHeadSize(const World *world);                     // bytes of those counts
size_t fluidsParticleSize(const World *world);                 // bytes of the particles that there are
bool fluidsReserveLoading(World *world);                       // for those of the archive; false: out of memory
void walkFluids(struct Archive *archive, World *world);

// ---- surface.c ------------------------------------------------------------------------------------------------------

// carried.c: points of the surface that a mesh carries, at most so many, become what meets colliders. false: out of
// memory, or it carries none
bool carriedPoints(Memory *memory, ContactBody *body, const vvMesh *mesh, int most);

ContactDef contactDefOf(const vvSoftBodyDef *def, double mass);
Energy *bodyContact(const Body *body, int index); // 0: of vertices and samples, 1: of triangles; NULL: there is none
vvResult facesCreate(World *world);               // of all bodies that have none
vvResult bodyCreateFaces(Body *body);             // what its triangles need to meet rigid bodies
vvResult bodyCreateContact(Body *body); // what it needs to meet colliders, if it has not; VV_OUT_OF_MEMORY: as before
void bodyLoadSurface(Body *body);       // what contactDef says, into the surface and the collision mesh that there are
bool bodyCreateSurface(Body *body);     // its vertices and areas, if it has not; false: out of memory

// ---- soft.c: bodies against bodies ----------------------------------------------------------------------------------

vvResult bodyCreateCollisionMesh(Body *body);
void bodyDestroyCollisionMesh(Body *body);
int softSearch(World *world, double dt); // chooses what may touch within dt; returns how many
double softRenew(Body *body);            // looks around anew: J, what contact between bodies has more than before
double softPlace(Body *body);            // the same of a body that was put where it is; warns
void softMark(World *world);             // at the start of a step
void softRewind(World *world);           // after a step that failed
void softAccept(World *world);           // after one that did not: books what anchors let go
void softForget(World *world, const Body *body); // nothing holds on to this body, and it on to nothing
double softEnergy(const Body *body);             // J, of its own vertices against triangles
double softEnergyOf(const Body *body);           // J, of all pairs that it is one side of
double softEnergyApart(const Body *body);        // J, of all pairs of the world that it has no part in
uint64_t softHash(const Body *body, uint64_t hash);
int softContactCount(const Body *body);
bool softTouch(const Body *body, int index,
               vvContact *contact); // pair contact `index` of its surface; false: it does not touch
bool softTouched(const Body *body, int index, vvContact *contact); // nor did within the step, under the hard law
int softContacts(const Body *body, vvContact *contacts, int capacity, int count); // adds those of its vertices

// ---- sleep.c --------------------------------------------------------------------------------------------------------

void bodyWake(Body *body); // its island follows at the next step
void bodiesWake(World *world);
void sleepMark(World *world);               // before anything of a step
void sleepPrepare(World *world, double dt); // before a step: who has been woken
void sleepRewind(World *world);             // after a step that failed
bool islandSleeps(const System *system);
void islandSkip(System *system);           // the end of its step is its start
void sleepSettle(World *world, double dt); // after a step: who falls asleep
void bodyTire(Body *body, double dt);      // for how long it has been calm
void bodySleep(Body *body);
// a collider moves that may touch what is in these bounds, or that it stands on
bool collidersStir(const World *world, const Body *body, const vvBox *bounds);

// ---- sleep_pieces.c: bodies that have fallen apart ------------------------------------------------------------------

Sleeper *sleeperOf(const Body *body, int vertex); // of the piece with this vertex, in the mesh's order
bool piecesSleep(const Body *body);               // it has pieces, and all of them do
void piecesWake(Body *body);
void piecesMarkSleep(Body *body); // before anything of a step
void piecesRewindSleep(Body *body);
// Before a step: wakes pieces of an island that something awake is near. False: one of them is awake.
bool piecesStir(World *world, System *system, double dt, bool moves);
void piecesHold(World *world);                              // after it: those that sleep are where they were
bool piecesSettle(World *world, System *system, double dt); // who falls asleep; false: no body has pieces

// ---- event.c --------------------------------------------------------------------------------------------------------

bool eventsPrepare(World *world); // before a step; false: out of memory
void eventsCollect(World *world); // after it
void eventsDestroy(World *world);
bool eventsReserve(World *world, int more); // pairs besides those of the last step; false: out of memory
void eventsAdd(World *world, Party first, Party second, const vvContact *contact,
               bool touches); // in the order of pairs

// ---- rigid_touch.c --------------------------------------------------------------------------------------------------

bool rigidTouchesReserve(World *world);            // for those of the step under way; false: out of memory
void rigidTouchesTake(World *world, double dt);    // of the step that was accepted
void rigidTouchesGather(World *world, bool stale); // into events; stale: of what bodies remember
bool rigidTouchIsValid(const vvContact *contact);  // what touches is still there
int rigidTouches(const World *world, vvContact *contacts, int capacity, int count); // adds them
void rigidTouchesDestroy(World *world);

// ---- island.c -------------------------------------------------------------------------------------------------------

void islandsNumber(World *world);  // the partition, by attachments and pair contacts; every account stays as it is
void islandsRefresh(World *world); // after they changed: what falls apart knows who owes what, then as above
void islandsMark(World *world);    // before a step, which may change them
void islandsRestore(World *world); // after a step that failed
void pastForget(Body *body);       // something jumped: methods with a history start anew in this body's island

// ---- systems.c ------------------------------------------------------------------------------------------------------

bool systemsPrepare(World *world); // room for what a step solves; false: out of memory
void systemsArrange(World *world); // systems of the present islands; no allocation
bool systemsReserve(World *world); // what the method needs in the step ahead, of islands awake; false: out of memory
void systemsDestroy(World *world);

// ---- soft_pairs.c ---------------------------------------------------------------------------------------------------

bool softLoad(World *world);     // pairs of a step, after arranging; false: out of memory
void pairsDestroy(World *world); // their room

// ---- islands_step.c -------------------------------------------------------------------------------------------------

// All that are awake, marked before; the reports are in `runs`. Again: those that meet rigid bodies alone.
void islandsStep(World *world, double dt, bool again);
void islandsRewind(World *world, bool meeting); // to the marks: all, or those
void islandOpen(World *world, int island);      // for a step in parts (integrate.h), which others may rewind
void islandClose(World *world, int island, double dt, const Divided *divided); // after its parts
void islandsRewindTaken(World *world);                                         // those alone
bool vertexIsSane(const Member *member, const State *s, int vertex); // `s`: of the member alone, at the end of the step

// ---- ledgers.c ------------------------------------------------------------------------------------------------------

void bodyAddLedger(const Body *body, vvLedger *ledger); // columns of the body alone
double bodyTotal(const Body *body);                     // J: the body and every spring to other bodies, for jumps
void islandTargets(World *world);                       // of every system: what its accounts say

// ---- measure.c ------------------------------------------------------------------------------------------------------

double tetStretch(const Body *body, int tet);           // 1: det F of a tet of the mesh, present over rest
double triangleStretch(const Body *body, int triangle); // 1: area of a triangle of the surface, present over rest
double edgeStretch(const Body *body, int edge);         // 1: length of an edge of the mesh, present over rest

// ---- checks.c -------------------------------------------------------------------------------------------------------

vvResult checkVertex(const Body *body, int vertex);
vvResult checkPoints(const char *what, const double *values, int count); // count x 3, none vast
bool isModest(double value);                                             // 0, or within MODEST and above its inverse
bool isVast(Vec3 value);                                                 // beyond VAST, or no number
vvResult checkVector(const char *what, Vec3 value);
vvResult checkCount(const char *what, int count); // room for one more object of a kind
vvResult checkTarget(const Body *body, const void *target,
                     const char *shape); // of a copy: the body lives, the room is given
vvResult checkDef(bool hasCookie, const char *what, const char *maker);
vvResult checkFriction(double friction);
vvResult checkRestitution(double restitution);
vvResult checkPose(Vec3 position, vvQuat rotation);
Pose poseOf(Vec3 position, vvQuat rotation); // of numbers that were checked

// ---- cluster.c ------------------------------------------------------------------------------------------------------

// mask: count, one bit for every cluster that a vertex is in; away and near: count, room. Returns how many there are.
int clustersOf(const vvMesh *mesh, int most, double *away, uint64_t *mask, uint64_t *near);

#endif
